"""Checks a query in the order syntax → schema → properties → execution → result. Corrects nothing."""

from servers.text2cypher.validators.execution_validator import ExecutionValidator, ResultValidator
from servers.text2cypher.validators.properties_validator import PropertiesValidator
from servers.text2cypher.validators.schema_validator import SchemaValidator
from servers.text2cypher.validators.syntax_validator import FallbackSyntaxValidator, SyntaxValidator
from servers.text2cypher.validators.validation_pipeline import PipelineResult, ValidationPipeline

__all__ = [
    "ExecutionValidator",
    "FallbackSyntaxValidator",
    "PipelineResult",
    "PropertiesValidator",
    "ResultValidator",
    "SchemaValidator",
    "SyntaxValidator",
    "ValidationPipeline",
]
