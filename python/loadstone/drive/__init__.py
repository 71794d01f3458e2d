"""Making a measurement: the service up, the engine run, every second written down."""

from loadstone.drive.dataset import DataSet
from loadstone.drive.deployed import Deployed
from loadstone.drive.engine import Engine, EngineRun, RustEngine
from loadstone.drive.interrupt import Interrupt
from loadstone.drive.job import Job, measure_scenario, sut_of
from loadstone.drive.measure import Progress, Silent, measure
from loadstone.drive.placement import Here, OnHosts, Placement
from loadstone.drive.sut import Builtin, External, Sut

__all__ = [
    "Builtin",
    "DataSet",
    "Deployed",
    "Engine",
    "EngineRun",
    "External",
    "Here",
    "Interrupt",
    "Job",
    "OnHosts",
    "Placement",
    "Progress",
    "RustEngine",
    "Silent",
    "Sut",
    "measure",
    "measure_scenario",
    "sut_of",
]
