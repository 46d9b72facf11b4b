"""Access control: tokens, admission of requests, rate limits."""

from agentd.access.admission import Access, Approach
from agentd.access.rates import Buckets, RateLimiter
from agentd.access.tokens import FILE_NAME, LOCAL, Principal, TokenStore
from agentd.access.used import LastUse

__all__ = ["FILE_NAME", "LOCAL", "Access", "Approach", "Buckets", "LastUse", "Principal", "RateLimiter", "TokenStore"]
