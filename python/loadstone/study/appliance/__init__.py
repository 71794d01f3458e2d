"""The study `appliance`: the same programs as an image and as a process in a Linux guest, on the same virtual
machine."""
