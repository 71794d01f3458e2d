"""What the scenarios beside it call."""


def sign(amount: str, key: str) -> dict[str, str]:
    return {"mark": f"{amount} {key}"}
