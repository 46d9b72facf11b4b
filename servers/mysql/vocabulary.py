"""What a SELECT may consist of: functions, words before a bracket, kinds of tree nodes. Only lists, no logic.

Everything not listed is refused, so new functions of a database are refused until somebody reviews them.
"""

from __future__ import annotations

from sqlglot import exp

from servers.common import mysql_dates


def _words(text: str) -> frozenset[str]:
    return frozenset(text.upper().split())


BEFORE_BRACKET = _words(
    """
    select distinct all from as on using where and or xor not in exists any some between like rlike regexp glob match
    against is case when then else end by having order limit offset union except intersect with recursive over window
    partition filter interval div join inner left right full outer cross natural straight_join lateral values row
    group separator escape collate binary index key force use ignore materialized nulls within
    """
)
"""Grammar words that may precede a bracket without calling a function."""

TYPES = _words(
    "char varchar decimal dec numeric double float signed unsigned integer int datetime time date binary text"
)
"""Types with a length, as in CAST(x AS DECIMAL(18,2))."""

SHARED_FUNCTIONS = _words(
    """
    count sum avg min max group_concat row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value
    last_value nth_value coalesce nullif ifnull abs ceil ceiling floor round sign sqrt pow power exp ln log log10 log2
    mod pi sin cos tan asin acos atan atan2 degrees radians concat concat_ws lower upper trim ltrim rtrim length
    char_length instr substr substring replace hex unhex char cast date time datetime strftime
    json_array json_object json_extract json_type json_valid json_quote json_array_length like glob if
    """
)

FUNCTIONS = {
    "mysql": SHARED_FUNCTIONS
    | _words(
        """
        truncate greatest least std stddev stddev_pop stddev_samp variance var_pop var_samp bit_and bit_or bit_xor
        bit_count median percentile_cont percentile_disc any_value conv crc32 cot format rand
        ascii bin character_length octet_length bit_length elt field find_in_set insert lcase ucase left right locate
        lpad rpad mid oct ord position quote repeat reverse soundex space strcmp substring_index make_set export_set
        regexp_like regexp_replace regexp_instr regexp_substr to_base64 from_base64 md5 sha1 sha sha2
        adddate addtime convert_tz curdate current_date current_time current_timestamp curtime date_add date_format
        date_sub datediff day dayname dayofmonth dayofweek dayofyear extract from_days from_unixtime get_format hour
        last_day localtime localtimestamp makedate maketime microsecond minute month monthname now period_add
        period_diff quarter sec_to_time second str_to_date subdate subtime sysdate time_format time_to_sec timediff
        timestamp timestampadd timestampdiff to_days to_seconds unix_timestamp utc_date utc_time utc_timestamp week
        weekday weekofyear year yearweek convert
        json_contains json_contains_path json_keys json_search json_value json_query json_exists json_depth json_length
        json_unquote json_arrayagg json_objectagg json_merge_patch json_merge_preserve json_set json_insert json_replace
        json_remove json_compact json_detailed json_pretty isnull nvl nvl2 inet_aton inet_ntoa inet6_aton inet6_ntoa
        grouping values uuid_to_bin bin_to_uuid
        """
    ),
    "postgres": SHARED_FUNCTIONS
    | _words(
        """
        greatest least stddev stddev_pop stddev_samp variance var_pop var_samp corr bool_and bool_or every
        percentile_cont percentile_disc mode trunc div cbrt factorial gcd width_bucket
        ascii chr character_length octet_length initcap left right lpad rpad btrim position overlay reverse split_part
        starts_with strpos translate to_char to_number to_date to_timestamp md5 concat_ws string_agg
        regexp_match regexp_replace regexp_like regexp_count regexp_substr
        age current_date current_time current_timestamp localtime localtimestamp now date_part date_trunc date_bin
        extract isfinite justify_days justify_hours justify_interval make_date make_interval make_time make_timestamp
        statement_timestamp clock_timestamp transaction_timestamp timezone
        json_build_object json_build_array json_agg jsonb_agg json_object_agg json_extract_path json_extract_path_text
        jsonb_extract_path jsonb_extract_path_text json_typeof jsonb_typeof jsonb_array_length
        row_to_json to_json to_jsonb array_agg cardinality array_length array_to_string unnest grouping
        """
    ),
    "sqlite": SHARED_FUNCTIONS
    | mysql_dates.NAMES
    | _words(
        """
        total iif typeof unicode quote printf format julianday unixepoch timediff trunc current_date current_time
        current_timestamp random zeroblob nullif likely unlikely json json_group_array
        json_group_object json_insert json_patch json_remove json_replace json_set string_agg median percentile
        """
    ),
}

_WRITING = _words(
    """
    into update delete insert drop alter create grant revoke load call lock procedure current_user current_role
    nextval lastval setval prepare execute handler
    """
)
FORBIDDEN_WORDS = {
    "mysql": _WRITING,
    "postgres": _WRITING
    | _words("copy listen notify vacuum user session_user current_catalog current_schema system_user tablesample"),
    "sqlite": _WRITING | _words("regexp rlike"),
}
"""Refused wherever they are unquoted, however a parser interprets them; columns with these names can be quoted.

In SQLite Python would match the patterns, and a bad one blocks the whole server beyond any time limit.
"""

NODES: frozenset[type[exp.Expr]] = frozenset(
    {
        *(exp.Select, exp.Union, exp.Except, exp.Intersect, exp.Subquery, exp.With, exp.CTE, exp.Values, exp.Tuple),
        *(exp.From, exp.Join, exp.Lateral, exp.Table, exp.TableAlias, exp.Where, exp.Group, exp.Having, exp.Rollup),
        *(exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Distinct, exp.Window, exp.WindowSpec, exp.Filter),
        *(exp.Column, exp.Identifier, exp.Alias, exp.Aliases, exp.Star, exp.Dot, exp.Literal, exp.Null, exp.Boolean),
        *(exp.HexString, exp.BitString, exp.National, exp.Var, exp.Paren, exp.Neg, exp.Not, exp.Add, exp.Sub, exp.Mul),
        *(exp.Div, exp.IntDiv, exp.Mod, exp.DPipe, exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot),
        *(exp.BitwiseLeftShift, exp.BitwiseRightShift, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is),
        *(exp.NullSafeEQ, exp.NullSafeNEQ, exp.Between, exp.In, exp.Like, exp.ILike, exp.Glob, exp.Escape, exp.Any),
        *(exp.All, exp.Interval, exp.IntervalSpan, exp.Collate, exp.DataType, exp.DataTypeParam, exp.CharacterSet),
        *(exp.IndexTableHint, exp.Partition, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup, exp.Match),
        *(
            exp.JSONPath,
            exp.JSONPathRoot,
            exp.JSONPathKey,
            exp.JSONPathSubscript,
            exp.JSONPathWildcard,
            exp.JSONKeyValue,
        ),
        *(exp.JSONPathSelector, exp.JSONPathSlice, exp.JSONPathRecursive, exp.JSONPathUnion, exp.JSONExtractQuote),
        *(exp.Fetch, exp.LimitOptions, exp.AtTimeZone),
        *(exp.Bracket, exp.HavingMax, exp.JSONValue, exp.OnCondition),
    }
)
"""Allowed kinds of tree nodes, except functions, which are checked by name."""

_PLAIN_TYPES = """
    bigint boolean char date decimal double float int interval json jsonb money numeric smallint text time timestamp
    timestamptz timetz tinyint uuid varchar nchar nvarchar bpchar
"""
CASTS = {getattr(exp.DType, name) for name in _PLAIN_TYPES.upper().split() if hasattr(exp.DType, name)}
"""Types that PostgreSQL may cast to: none that looks up a name, and none defined by a database."""

FORBIDDEN_FUNCTIONS: tuple[type[exp.Expr], ...] = (
    exp.CurrentUser,
    exp.SessionUser,
    exp.CurrentRole,
    exp.CurrentSchema,
    exp.CurrentDatabase,
    exp.NextValueFor,
    exp.JSONTable,
    exp.OpenJSON,
    exp.XMLTable,
)
"""Functions called without a bracket, or with a grammar of their own."""
