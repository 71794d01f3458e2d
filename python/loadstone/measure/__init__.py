"""Making a measurement: the service up, the engine run, every second written down."""

from loadstone.measure.conduct import Progress, Silent, measure
from loadstone.measure.dataset import DataSet
from loadstone.measure.deployed import Deployed
from loadstone.measure.engine import Engine, EngineRun, RustEngine
from loadstone.measure.faults import Faults, on_topology, put_back
from loadstone.measure.interrupt import Interrupt
from loadstone.measure.job import Job, measure_scenario, sut_of
from loadstone.measure.placement import Here, OnHosts, OnRay, Placement
from loadstone.measure.sut import Builtin, External, Sut
from loadstone.measure.trial import Exchange, trial

__all__ = [
    "Builtin",
    "DataSet",
    "Deployed",
    "Engine",
    "EngineRun",
    "Exchange",
    "External",
    "Faults",
    "Here",
    "Interrupt",
    "Job",
    "OnHosts",
    "OnRay",
    "Placement",
    "Progress",
    "RustEngine",
    "Silent",
    "Sut",
    "measure",
    "measure_scenario",
    "on_topology",
    "put_back",
    "sut_of",
    "trial",
]
