"""ipaddress: addresses and networks.

call: address(str[n] in '0'..='9' | '.' | ':' | 'a'..='f')
call: address4(str[n] in '0'..='9' | '.')
call: collapse(int[n] in 0..=4294967295)
call: summarize(int in 0..=4294967295, int in 0..=4294967295)

A range of addresses is at worst 2*32-2 networks: from the second address to the last but one.
"""

import ipaddress


def address(text: str) -> str:
    return str(ipaddress.ip_address(text))


def address4(text: str) -> int:
    return int(ipaddress.IPv4Address(text))


def collapse(numbers: list[int]) -> int:
    return len(list(ipaddress.collapse_addresses(ipaddress.IPv4Address(number) for number in numbers)))


def summarize(first: int, last: int) -> int:
    networks = ipaddress.summarize_address_range(ipaddress.IPv4Address(first), ipaddress.IPv4Address(last))
    return len(list(networks))
