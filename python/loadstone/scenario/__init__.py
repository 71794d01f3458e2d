"""Scenario files: what users do, how often and how fast it must be, as TOML that people write.

`load_scenario` reads, checks and resolves one; its `Scenario` gives the plan that the engine runs.
"""

from loadstone.scenario.address import only_here
from loadstone.scenario.built import Built
from loadstone.scenario.builtin import builtin_names, builtin_path
from loadstone.scenario.compose import Member, alone
from loadstone.scenario.faults import Fault
from loadstone.scenario.findings import Finding, ScenarioError
from loadstone.scenario.load import Scenario, checked, load_scenario
from loadstone.scenario.model import Check, Operation
from loadstone.scenario.python_file import scenario_text
from loadstone.scenario.scaling import Scaling
from loadstone.scenario.schema import json_schema
from loadstone.scenario.target import Target

__all__ = [
    "Built",
    "Check",
    "Fault",
    "Finding",
    "Member",
    "Operation",
    "Scaling",
    "Scenario",
    "ScenarioError",
    "Target",
    "alone",
    "builtin_names",
    "builtin_path",
    "checked",
    "json_schema",
    "load_scenario",
    "only_here",
    "scenario_text",
]
