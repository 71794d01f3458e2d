"""Images in service: started, watched, started again when they end, renewed and moved, by one supervisor."""

from loadstone.image.service.control import Control, ask
from loadstone.image.service.folder import StateFolder, await_end
from loadstone.image.service.policy import Policy
from loadstone.image.service.supervisor import Supervisor

__all__ = ["Control", "Policy", "StateFolder", "Supervisor", "ask", "await_end"]
