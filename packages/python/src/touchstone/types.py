"""Written by tools/write-python-types.ts from docs/api/openapi.json."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

__all__ = [
    "AcceptedInvitation",
    "AcknowledgedDriftAlerts",
    "ActorType",
    "AddedTeamMembers",
    "Agent",
    "AgentCard",
    "AgentCardChange",
    "AgentCardPatch",
    "AgentCardVersion",
    "AgentCardVersionPage",
    "AgentChanges",
    "AgentClaim",
    "AgentCoherence",
    "AgentConscienceValue",
    "AgentConscienceValues",
    "AgentErasure",
    "AgentErasureRequest",
    "AgentImpact",
    "AgentIntegrity",
    "AgentPage",
    "AgentStanding",
    "AgentStandingPage",
    "AgentStandingTotals",
    "AgentStatus",
    "AgentView",
    "AlignmentCard",
    "AlignmentCardSubmission",
    "AnalysedCheckpoint",
    "Analyzer",
    "Anchor",
    "AnchorProof",
    "AnchorSibling",
    "AnchorSummary",
    "ApiKey",
    "ApiKeyChanges",
    "ApiKeyClient",
    "ApiKeyList",
    "ApiKeyMode",
    "ApiKeyRole",
    "ApiKeyRotation",
    "ApiKeyWithSecret",
    "Approval",
    "ApprovalBlock",
    "ApprovalChannels",
    "ApprovalChannelsChange",
    "ApprovalScope",
    "ArchivedTeam",
    "AssessmentProofStatus",
    "Assurance",
    "AssuranceLimit",
    "AuditExportFormat",
    "AuditLogEntry",
    "AuditLogEntryPage",
    "BadgeVariant",
    "Benchmarks",
    "BrowserSession",
    "CallOutcome",
    "CallOutcomeStatus",
    "CapabilityMapping",
    "CardAmendment",
    "CardAmendmentPage",
    "CardCoverage",
    "CardGap",
    "CardTemplate",
    "CardTemplateChange",
    "CardTemplateExemption",
    "CardTemplateExemptionChange",
    "CardTemplateJson",
    "CardValidation",
    "Certificate",
    "CertificateToVerify",
    "CertificateVerification",
    "ChangedRole",
    "Checkpoint",
    "CheckpointBatchItem",
    "CheckpointBatchResult",
    "CheckpointFlag",
    "CheckpointPage",
    "CheckpointResult",
    "ClaimedAgent",
    "Coherence",
    "CoherenceCheck",
    "CoherenceCluster",
    "CoherenceOutlier",
    "CoherencePair",
    "ComparedReputation",
    "ComplianceExport",
    "ComponentHistory",
    "ComponentScores",
    "Concern",
    "ConcernCategory",
    "ConcernSubject",
    "Confidence",
    "ConnectionMode",
    "ConscienceAction",
    "ConscienceMode",
    "ConscienceOrder",
    "ConscienceSettings",
    "ConscienceSettingsChange",
    "ConscienceSeverity",
    "ConscienceSource",
    "ConscienceType",
    "ConscienceValue",
    "ConscienceValueChangePage",
    "ConscienceValueChanges",
    "ConscienceValueContent",
    "ConscienceValueLogEntry",
    "ConscienceValueSet",
    "ConsistencyProof",
    "ContainedDecision",
    "Containment",
    "ContainmentAction",
    "ContainmentLogEntry",
    "ContainmentPolicy",
    "ContainmentPolicyChange",
    "ContainmentProblem",
    "ContainmentRequest",
    "ContainmentResult",
    "ContainmentStatus",
    "Contracts",
    "ControlFramework",
    "CoordinationMode",
    "CredentialKind",
    "Decision",
    "DecisionBatch",
    "DecisionDurations",
    "DecisionExportFormat",
    "DecisionOutcome",
    "DecisionOutcomeFilter",
    "DecisionOutcomeReport",
    "DecisionReason",
    "DecisionReceipt",
    "DecisionRecord",
    "DecisionRecordList",
    "DecisionResult",
    "DecisionSource",
    "DecisionStats",
    "DecisionStatsBucket",
    "Decisions",
    "DeletedAccount",
    "DeletedCardTemplate",
    "DeletedConscienceValue",
    "DeletedOrg",
    "DeletedWebhook",
    "DeliveryStatus",
    "DerivedTeamCard",
    "DirectoryEntry",
    "DirectoryEntryPage",
    "DirectorySort",
    "DriftAcknowledgement",
    "DriftAlert",
    "DriftAlertPage",
    "DriftKind",
    "DriftResolution",
    "DriftSeverity",
    "DriftStatus",
    "EffectivePolicy",
    "EndedImpersonation",
    "EndedSessions",
    "Enforcement",
    "EnforcementChange",
    "EnforcementMode",
    "EnrolledSecondFactor",
    "Escalation",
    "EscalationDetail",
    "EscalationPage",
    "EscalationResolution",
    "EscalationStatus",
    "EscalationTrigger",
    "EvaluationContext",
    "EventSubscription",
    "EventType",
    "EvidencePack",
    "EvidencePackAccepted",
    "EvidencePackList",
    "EvidencePackRequest",
    "EvidencePackStatus",
    "ExportFormat",
    "ExportSection",
    "ExportedScore",
    "ExtractionMethod",
    "FailureMode",
    "FailureModeName",
    "FallbackReason",
    "FaultLine",
    "FaultLineAnalysis",
    "FaultLineClass",
    "FieldChange",
    "FleetCoherence",
    "ForbiddenRule",
    "ForecastRequest",
    "FullAudit",
    "FullAuditRequest",
    "FullAuditState",
    "Grade",
    "GradeShare",
    "HealthCheck",
    "HealthStatus",
    "HistoricalEvaluation",
    "HistoricalEvaluationRequest",
    "HistoricalViolation",
    "HookAnswer",
    "HookEvent",
    "Impersonation",
    "ImpersonationRequest",
    "InclusionProof",
    "IntelligenceItem",
    "IntelligenceProducer",
    "IntelligenceSummary",
    "IntelligenceSummaryPage",
    "IntelligenceType",
    "Invitation",
    "InvitationAcceptance",
    "InvitationPage",
    "InvitationStatus",
    "InvitationWithToken",
    "InvitedRole",
    "JoiningRole",
    "Jwk",
    "JwkSet",
    "LearnedEffect",
    "LearnedPolicy",
    "LearnedRule",
    "ListedRiskAssessment",
    "Liveness",
    "LogCheck",
    "LogConsistency",
    "LogEntry",
    "LogEntryType",
    "LogProof",
    "Member",
    "MemberChanges",
    "MemberList",
    "Membership",
    "MerkleSibling",
    "Meter",
    "MeterUsage",
    "ModelConnection",
    "ModelConnectionChanges",
    "ModelConnectionList",
    "ModelConnectionRotation",
    "ModelConnectionWithToken",
    "ModelLimit",
    "ModelProvider",
    "ModelUsage",
    "ModelUsageBucket",
    "ModelUsageDay",
    "ModelUsageInterval",
    "NewAgent",
    "NewAgentTrace",
    "NewAnchor",
    "NewApiKey",
    "NewCheckpoint",
    "NewCheckpointBatch",
    "NewConscienceValue",
    "NewInvitation",
    "NewModelConnection",
    "NewOrg",
    "NewOrgApiKey",
    "NewReclassification",
    "NewTeam",
    "NewTeamMembers",
    "NewTrace",
    "NewTraceBatch",
    "NewTransaction",
    "NewTrustEdge",
    "NewViolationComment",
    "NewWebhook",
    "NormalizedPolicy",
    "Nudge",
    "NudgeStrategy",
    "OidcConfiguration",
    "OnChainAnchor",
    "OnChainHistory",
    "OnChainScore",
    "OnChainStatus",
    "OnContained",
    "OnGatewayError",
    "OpenIdConfiguration",
    "Org",
    "OrgChanges",
    "OrgList",
    "OrgModelUsage",
    "OrgPlan",
    "OrgSetup",
    "OtlpLogExport",
    "OtlpLogExportResult",
    "OtlpLogPartialSuccess",
    "OtlpPartialSuccess",
    "OtlpTraceExport",
    "OtlpTraceExportResult",
    "OutcomeReport",
    "OutcomeReports",
    "OutcomeResult",
    "OutcomeResultStatus",
    "OutcomeResults",
    "PasswordChange",
    "PasswordResetAcceptance",
    "PasswordResetConfirmation",
    "PasswordResetRequest",
    "Plan",
    "PlanChange",
    "PlanFeature",
    "PlanId",
    "PlanList",
    "PlanStatus",
    "Policy",
    "PolicyDefaults",
    "PolicyDocument",
    "PolicyEvaluation",
    "PolicyEvaluationPage",
    "PolicyEvaluationRequest",
    "PolicyFlow",
    "PolicyImpact",
    "PolicyImpactRequest",
    "PolicyLearnRequest",
    "PolicyLimit",
    "PolicyMeta",
    "PolicyMode",
    "PolicyRecommendation",
    "PolicyRelation",
    "PolicyValidation",
    "PolicyVerdict",
    "PolicyVersion",
    "PolicyVersionPage",
    "PolicyViolation",
    "PolicyWarning",
    "Problem",
    "ProblemDetail",
    "Profile",
    "Proof",
    "ProofJournal",
    "ProofProgram",
    "ProofPrograms",
    "ProofReceipt",
    "ProofReceiptSignature",
    "ProofStatus",
    "ProofToVerify",
    "ProofVerification",
    "ProvenDecision",
    "Provenance",
    "PublishedScoreVerification",
    "RatedConfidence",
    "RatedGrade",
    "Readiness",
    "ReasonCode",
    "ReasoningStep",
    "ReceiptToVerify",
    "Reclassification",
    "ReclassificationPage",
    "ReclassificationSummary",
    "ReclassifiedType",
    "ReclassifiedViolations",
    "RecommendedAction",
    "RecomputedReputation",
    "RecordedPolicyEvaluation",
    "RecoveryCodes",
    "RefreshToken",
    "RegisteredAgent",
    "RemovedMember",
    "RemovedSso",
    "RemovedTeamMember",
    "ReorderedConscienceValues",
    "ReportedOutcome",
    "ReputationBatch",
    "ReputationBatchRequest",
    "ReputationChecked",
    "ReputationComparison",
    "ReputationHistory",
    "ReputationProof",
    "ReputationScore",
    "ReputationSnapshot",
    "ReputationSummary",
    "ReputationVerification",
    "ResolvedPolicy",
    "RevokedApiKey",
    "RevokedInvitation",
    "RevokedModelConnection",
    "RiskActionType",
    "RiskAssessment",
    "RiskAssessmentList",
    "RiskAssessmentRequest",
    "RiskBreakdown",
    "RiskBreaker",
    "RiskFactor",
    "RiskHistory",
    "RiskInputs",
    "RiskLevel",
    "RiskRecommendation",
    "RiskSubject",
    "RiskThresholds",
    "RiskTolerance",
    "Role",
    "RosterChange",
    "RosterChangePage",
    "RosterChangeType",
    "RpcBatch",
    "RpcBatchResponse",
    "RpcError",
    "RpcProblem",
    "RpcRequest",
    "RpcResponse",
    "SamlConfiguration",
    "SamlResponseForm",
    "SavedCardTemplate",
    "SavedPolicy",
    "SavedTeamCard",
    "ScittProof",
    "Scope",
    "ScoreComponent",
    "ScoreComponentKey",
    "ScoreImpact",
    "ScoreInterval",
    "ScorePublication",
    "ScorePublicationRequest",
    "ScorePublicationSummary",
    "ScoreToPublish",
    "SecondFactor",
    "SecondFactorChallenge",
    "SecondFactorConfirmation",
    "SecondFactorEnrolment",
    "SecondFactorProof",
    "Session",
    "SessionPage",
    "Severity",
    "ShapleyMethod",
    "SignIn",
    "SignInCode",
    "SignInSession",
    "SignInSessionList",
    "SignUp",
    "SigningKey",
    "SigningKeySet",
    "SimulatedScore",
    "Simulation",
    "SimulationRequest",
    "SsoCode",
    "SsoConfiguration",
    "SsoDomain",
    "SsoNotConfigured",
    "SsoProtocol",
    "SsoRoleMapping",
    "SsoSettings",
    "SsoState",
    "SsoTest",
    "SsoTestResult",
    "StandingFinding",
    "StandingSort",
    "StartedImpersonation",
    "StatsGrouping",
    "StatsInterval",
    "StoppedEffect",
    "StoppedTool",
    "Synergy",
    "Team",
    "TeamBadgeVariant",
    "TeamCard",
    "TeamCardChange",
    "TeamCardJson",
    "TeamCardSource",
    "TeamCardVersion",
    "TeamCardVersionPage",
    "TeamChanges",
    "TeamCoordinationMode",
    "TeamForecast",
    "TeamMember",
    "TeamPage",
    "TeamReputation",
    "TeamReputationHistory",
    "TeamReputationProof",
    "TeamReputationSnapshot",
    "TeamReputationVerification",
    "TeamRiskAssessment",
    "TeamRiskAssessmentRequest",
    "TeamRiskBreaker",
    "TeamRiskCluster",
    "TeamRiskDivergence",
    "TeamRiskHistory",
    "TeamRiskOutlier",
    "TeamRiskRecommendation",
    "TeamScoreComponent",
    "TeamScoreComponentKey",
    "TeamSelection",
    "TeamStatus",
    "TeamTrustExtension",
    "TeamWithMembers",
    "TextProblem",
    "Tokens",
    "ToolCall",
    "ToolCalls",
    "ToolChange",
    "ToolDefinition",
    "ToolImpact",
    "ToolPin",
    "ToolPinAcceptance",
    "ToolPinPage",
    "ToolReport",
    "ToolReportResult",
    "Trace",
    "TraceAction",
    "TraceActionCategory",
    "TraceActionType",
    "TraceBatchItem",
    "TraceBatchResult",
    "TraceEscalation",
    "TraceEscalationStatus",
    "TracePage",
    "TraceRecommendedAction",
    "TraceToVerify",
    "TraceVerification",
    "TraceVerificationResult",
    "TraceViolation",
    "TraceViolationType",
    "Transaction",
    "TransactionActionType",
    "TransactionPage",
    "TransactionStatus",
    "TransactionSummary",
    "TreeHead",
    "TrustDirection",
    "TrustEdge",
    "TrustEdgePage",
    "TrustExtension",
    "TrustLevel",
    "UpdatedEnforcement",
    "Usage",
    "UsageDay",
    "User",
    "ValidationFinding",
    "ValueDivergence",
    "Verdict",
    "VerdictCounts",
    "Violation",
    "ViolationComment",
    "ViolationCommentPage",
    "ViolationPage",
    "ViolationStatus",
    "ViolationType",
    "ViolationTypes",
    "ViolationVerdict",
    "Visibility",
    "Webhook",
    "WebhookAttempt",
    "WebhookChanges",
    "WebhookDelivery",
    "WebhookDeliveryDetail",
    "WebhookDeliveryPage",
    "WebhookList",
    "WebhookRedelivery",
    "WebhookReplay",
    "WebhookReplayRequest",
    "WebhookSecret",
    "WebhookSecretRotation",
    "WebhookTest",
    "WebhookWithSecret",
    "WitnessCheck",
]


AcceptedInvitation = TypedDict("AcceptedInvitation", {
    "org_id": str,
    "org_name": str,
    "role": "InvitedRole",
    "personal_subscription_warning": Union[str, None],
})


AcknowledgedDriftAlerts = TypedDict("AcknowledgedDriftAlerts", {
    "alerts": "list[DriftAlert]",
})


ActorType = Literal["user", "api_key", "system"]


AddedTeamMembers = TypedDict("AddedTeamMembers", {
    "added": list[str],
    "already_members": list[str],
    "members": "list[TeamMember]",
})


Agent = TypedDict("Agent", {
    "agent_id": str,
    "name": str,
    "description": Union[str, None],
    "visibility": "Visibility",
    "status": "AgentStatus",
    "claimed": bool,
    "card_id": str,
    "card_version": int,
    "created_at": str,
    "updated_at": str,
    "org_id": str,
    "owner_user_id": Union[str, None],
    "owner_email": Union[str, None],
    "claimed_at": Union[str, None],
    "enforcement_mode": "EnforcementMode",
    "provider": Union[str, None],
    "model": Union[str, None],
    "metadata": dict[str, Any],
    "last_seen_at": Union[str, None],
})


_AgentCardRequired = TypedDict("_AgentCardRequired", {
    "card_id": str,
    "agent_id": str,
    "version": int,
    "is_active": bool,
    "card_json": "AlignmentCard",
    "issued_at": str,
    "created_at": str,
})


_AgentCardOptional = TypedDict("_AgentCardOptional", {
    "conscience_values": list[Any],
    "created_by": str,
}, total=False)


class AgentCard(_AgentCardRequired, _AgentCardOptional):
    pass


AgentCardChange = TypedDict("AgentCardChange", {
    "updated": bool,
    "card_id": str,
    "version": int,
    "amendment_ids": list[str],
    "warnings": "list[ValidationFinding]",
    "card": "AlignmentCard",
})


AgentCardPatch = TypedDict("AgentCardPatch", {
    "card_json": "AlignmentCard",
    "conscience_values": list[Any],
    "reason": str,
}, total=False)


AgentCardVersion = TypedDict("AgentCardVersion", {
    "version": int,
    "card_id": str,
    "is_active": bool,
    "issued_at": str,
    "created_at": str,
    "created_by": str,
    "reason": str,
    "changed_fields": list[str],
})


_AgentCardVersionPageRequired = TypedDict("_AgentCardVersionPageRequired", {
    "versions": "list[AgentCardVersion]",
    "total": int,
    "page": int,
    "per_page": int,
})


_AgentCardVersionPageOptional = TypedDict("_AgentCardVersionPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class AgentCardVersionPage(_AgentCardVersionPageRequired, _AgentCardVersionPageOptional):
    pass


AgentChanges = TypedDict("AgentChanges", {
    "name": str,
    "description": Union[str, None],
    "visibility": "Visibility",
    "provider": Union[str, None],
    "model": Union[str, None],
    "metadata": dict[str, Any],
}, total=False)


_AgentClaimRequired = TypedDict("_AgentClaimRequired", {
    "hash_proof": str,
})


_AgentClaimOptional = TypedDict("_AgentClaimOptional", {
    "email": str,
}, total=False)


class AgentClaim(_AgentClaimRequired, _AgentClaimOptional):
    pass


AgentCoherence = TypedDict("AgentCoherence", {
    "agent_id": str,
    "mean_score": float,
    "compatible_count": int,
    "conflict_count": int,
    "cluster_id": int,
    "is_outlier": bool,
})


AgentConscienceValue = TypedDict("AgentConscienceValue", {
    "type": "ConscienceType",
    "name": str,
    "content": str,
    "severity": "Union[ConscienceSeverity, None]",
    "source": "ConscienceSource",
})


AgentConscienceValues = TypedDict("AgentConscienceValues", {
    "agent_id": str,
    "values": "list[AgentConscienceValue]",
})


AgentErasure = TypedDict("AgentErasure", {
    "agent_id": str,
    "purge_after": str,
})


AgentErasureRequest = TypedDict("AgentErasureRequest", {
    "confirm": str,
})


AgentImpact = TypedDict("AgentImpact", {
    "agent_id": str,
    "newly_failing": int,
    "newly_passing": int,
    "unchanged": int,
})


AgentIntegrity = TypedDict("AgentIntegrity", {
    "agent_id": str,
    "total_checks": int,
    "analyzed_checks": int,
    "clear_count": int,
    "review_count": int,
    "violation_count": int,
    "integrity_ratio": float,
    "latest_verdict": "Union[Verdict, None]",
})


_AgentPageRequired = TypedDict("_AgentPageRequired", {
    "agents": "list[Agent]",
    "total": int,
    "page": int,
    "per_page": int,
})


_AgentPageOptional = TypedDict("_AgentPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class AgentPage(_AgentPageRequired, _AgentPageOptional):
    pass


AgentStanding = TypedDict("AgentStanding", {
    "agent_id": str,
    "name": str,
    "visibility": "Visibility",
    "status": "AgentStatus",
    "enforcement_mode": "EnforcementMode",
    "last_seen_at": Union[str, None],
    "created_at": str,
    "updated_at": str,
    "score": Union[int, None],
    "grade": "Grade",
    "assurance": Union[int, None],
    "trend_30d": int,
    "weeks": list[int],
    "blocked": int,
    "violations": int,
    "drift_alerts": int,
})


_AgentStandingPageRequired = TypedDict("_AgentStandingPageRequired", {
    "agents": "list[AgentStanding]",
    "totals": "AgentStandingTotals",
    "from": str,
    "to": str,
    "is_partial": bool,
    "total": int,
    "page": int,
    "per_page": int,
})


_AgentStandingPageOptional = TypedDict("_AgentStandingPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class AgentStandingPage(_AgentStandingPageRequired, _AgentStandingPageOptional):
    pass


AgentStandingTotals = TypedDict("AgentStandingTotals", {
    "blocked": int,
    "violations": int,
    "drift_alerts": int,
})


AgentStatus = Literal["active", "paused", "killed", "archived"]


AgentView = TypedDict("AgentView", {
    "agent_id": str,
    "name": str,
    "description": Union[str, None],
    "visibility": "Visibility",
    "status": "AgentStatus",
    "claimed": bool,
    "card_id": str,
    "card_version": int,
    "created_at": str,
    "updated_at": str,
    "org_id": str,
    "owner_user_id": Union[str, None],
    "owner_email": Union[str, None],
    "claimed_at": Union[str, None],
    "enforcement_mode": "EnforcementMode",
    "provider": Union[str, None],
    "model": Union[str, None],
    "metadata": dict[str, Any],
    "last_seen_at": Union[str, None],
}, total=False)


AlignmentCard = dict[str, Any]


AlignmentCardSubmission = dict[str, Any]


_AnalysedCheckpoint_conscience_context = TypedDict("_AnalysedCheckpoint_conscience_context", {
    "values_checked": list[str],
    "conflicts": list[str],
    "supports": list[str],
    "considerations": list[str],
    "consultation_depth": str,
})


_AnalysedCheckpoint_window_position = TypedDict("_AnalysedCheckpoint_window_position", {
    "index": int,
    "window_size": int,
})


__AnalysedCheckpoint_analysis_metadataRequired = TypedDict("__AnalysedCheckpoint_analysis_metadataRequired", {
    "analyzer": "Analyzer",
    "analysis_model": str,
    "template_version": str,
    "analysis_duration_ms": int,
    "analysis_scope": Literal["thinking_only", "thinking_and_output"],
    "thinking_tokens_original": int,
    "thinking_tokens_analyzed": int,
    "truncated": bool,
    "extraction_confidence": float,
})


__AnalysedCheckpoint_analysis_metadataOptional = TypedDict("__AnalysedCheckpoint_analysis_metadataOptional", {
    "output_tokens_original": int,
    "output_tokens_analyzed": int,
    "output_truncated": bool,
    "ungoverned": Literal[True],
    "thinking_withheld": Literal[True],
}, total=False)


class _AnalysedCheckpoint_analysis_metadata(__AnalysedCheckpoint_analysis_metadataRequired, __AnalysedCheckpoint_analysis_metadataOptional):
    pass


AnalysedCheckpoint = TypedDict("AnalysedCheckpoint", {
    "checkpoint_id": Union[str, None],
    "agent_id": str,
    "card_id": str,
    "session_id": str,
    "timestamp": str,
    "created_at": str,
    "received_at": str,
    "provenance": "Provenance",
    "decision_ids": list[str],
    "thinking_block_hash": str,
    "output_block_hash": Union[str, None],
    "provider": str,
    "model": str,
    "verdict": "Verdict",
    "violation_type": Union[str, None],
    "concerns": "list[Concern]",
    "reasoning_summary": str,
    "conscience_context": "_AnalysedCheckpoint_conscience_context",
    "window_position": "Union[_AnalysedCheckpoint_window_position, None]",
    "analysis_metadata": "_AnalysedCheckpoint_analysis_metadata",
    "synthetic": bool,
    "synthetic_reason": Union[str, None],
    "flags": "list[CheckpointFlag]",
    "excluded_from_score": bool,
    "cross_validation_warnings": list[str],
    "reclassification": "Union[ReclassifiedType, None]",
    "linked_trace_id": Union[str, None],
})


Analyzer = Literal["llm", "rules", "none", "gateway"]


Anchor = TypedDict("Anchor", {
    "anchor_id": str,
    "merkle_root": str,
    "leaf_count": int,
    "tree_depth": int,
    "tx_hash": str,
    "block_number": int,
    "gas_used": int,
    "chain": Literal["base"],
    "anchored_at": str,
})


_AnchorProof_record = TypedDict("_AnchorProof_record", {
})


_AnchorProofRequired = TypedDict("_AnchorProofRequired", {
    "anchor_id": str,
    "merkle_root": str,
    "agent_id": str,
    "leaf": str,
    "leaf_preimage": str,
    "siblings": "list[AnchorSibling]",
})


_AnchorProofOptional = TypedDict("_AnchorProofOptional", {
    "nonce": str,
    "record": "_AnchorProof_record",
}, total=False)


class AnchorProof(_AnchorProofRequired, _AnchorProofOptional):
    pass


AnchorSibling = TypedDict("AnchorSibling", {
    "hash": str,
    "position": Literal["left", "right"],
})


AnchorSummary = TypedDict("AnchorSummary", {
    "anchor_id": str,
    "merkle_root": str,
    "leaf_count": int,
    "tree_depth": int,
    "tx_hash": str,
    "block_number": int,
    "anchored_at": str,
})


ApiKey = TypedDict("ApiKey", {
    "key_id": str,
    "name": str,
    "org_id": str,
    "key_prefix": str,
    "role": "ApiKeyRole",
    "scopes": "list[Scope]",
    "client": "ApiKeyClient",
    "mode": "ApiKeyMode",
    "agent_id": Union[str, None],
    "allowed_ips": list[str],
    "created_by": str,
    "created_at": str,
    "expires_at": Union[str, None],
    "last_used_at": Union[str, None],
    "unused": bool,
})


ApiKeyChanges = TypedDict("ApiKeyChanges", {
    "mode": "ApiKeyMode",
    "allowed_ips": list[str],
}, total=False)


ApiKeyClient = Literal["api", "sdk", "mcp_guard", "hook"]


ApiKeyList = TypedDict("ApiKeyList", {
    "keys": "list[ApiKey]",
})


ApiKeyMode = Literal["enforce", "observe"]


ApiKeyRole = Literal["admin", "auditor", "member"]


ApiKeyRotation = TypedDict("ApiKeyRotation", {
    "grace_hours": int,
}, total=False)


ApiKeyWithSecret = TypedDict("ApiKeyWithSecret", {
    "key_id": str,
    "name": str,
    "org_id": str,
    "key_prefix": str,
    "role": "ApiKeyRole",
    "scopes": "list[Scope]",
    "client": "ApiKeyClient",
    "mode": "ApiKeyMode",
    "agent_id": Union[str, None],
    "allowed_ips": list[str],
    "created_by": str,
    "created_at": str,
    "expires_at": Union[str, None],
    "last_used_at": Union[str, None],
    "unused": bool,
    "key": Union[str, None],
})


Approval = TypedDict("Approval", {
    "by": str,
    "at": str,
    "note": Union[str, None],
})


ApprovalBlock = TypedDict("ApprovalBlock", {
    "required": int,
    "roles": list[str],
    "scopes": list[str],
    "expires_minutes": int,
    "local": bool,
}, total=False)


ApprovalChannels = TypedDict("ApprovalChannels", {
    "email": list[str],
    "slack_webhook_url": Union[str, None],
    "teams_webhook_url": Union[str, None],
})


_ApprovalChannelsChangeRequired = TypedDict("_ApprovalChannelsChangeRequired", {
    "email": list[str],
})


_ApprovalChannelsChangeOptional = TypedDict("_ApprovalChannelsChangeOptional", {
    "slack_webhook_url": Union[str, None],
    "teams_webhook_url": Union[str, None],
}, total=False)


class ApprovalChannelsChange(_ApprovalChannelsChangeRequired, _ApprovalChannelsChangeOptional):
    pass


ApprovalScope = Literal["call", "session"]


ArchivedTeam = TypedDict("ArchivedTeam", {
    "archived": Literal[True],
    "team_id": str,
})


AssessmentProofStatus = Literal["none", "pending", "proving", "verified", "failed"]


Assurance = TypedDict("Assurance", {
    "level": int,
    "observed_share": float,
    "relayed_share": float,
    "days": int,
    "span_days": int,
    "effective_checkpoints": int,
    "limits": "list[AssuranceLimit]",
})


AssuranceLimit = Literal["SELF_REPORTED", "SHORT_HISTORY", "ONE_BURST", "LOW_NOVELTY", "UNTRACED", "UNCLAIMED", "UNWITNESSED"]


AuditExportFormat = Literal["ndjson", "csv"]


_AuditLogEntry_actor = TypedDict("_AuditLogEntry_actor", {
    "type": "ActorType",
    "id": str,
    "impersonated_by": Union[str, None],
})


_AuditLogEntry_target = TypedDict("_AuditLogEntry_target", {
    "type": str,
    "id": str,
})


AuditLogEntry = TypedDict("AuditLogEntry", {
    "id": str,
    "org_id": Union[str, None],
    "action": str,
    "actor": "_AuditLogEntry_actor",
    "target": "_AuditLogEntry_target",
    "changes": "dict[str, FieldChange]",
    "ip": Union[str, None],
    "request_id": Union[str, None],
    "created_at": str,
})


_AuditLogEntryPageRequired = TypedDict("_AuditLogEntryPageRequired", {
    "entries": "list[AuditLogEntry]",
    "total": int,
    "page": int,
    "per_page": int,
})


_AuditLogEntryPageOptional = TypedDict("_AuditLogEntryPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class AuditLogEntryPage(_AuditLogEntryPageRequired, _AuditLogEntryPageOptional):
    pass


BadgeVariant = Literal["score", "score_tier", "score_trend", "compact", "assurance"]


_Benchmarks_percentiles = TypedDict("_Benchmarks_percentiles", {
    "p10": int,
    "p25": int,
    "p50": int,
    "p75": int,
    "p90": int,
})


Benchmarks = TypedDict("Benchmarks", {
    "total_scored": int,
    "mean_score": int,
    "median_score": int,
    "distribution": "list[GradeShare]",
    "percentiles": "_Benchmarks_percentiles",
    "assurance_levels": dict[str, int],
})


BrowserSession = TypedDict("BrowserSession", {
    "access_token": str,
    "token_type": Literal["Bearer"],
    "expires_in": int,
    "user": "User",
})


CallOutcome = TypedDict("CallOutcome", {
    "status": "CallOutcomeStatus",
    "reported_at": str,
    "duration_ms": Union[float, None],
    "error": Union[str, None],
    "result_hash": Union[str, None],
    "bypassed": bool,
})


CallOutcomeStatus = Literal["executed", "failed", "not_executed"]


_CapabilityMappingRequired = TypedDict("_CapabilityMappingRequired", {
    "tools": list[str],
    "card_actions": list[str],
})


_CapabilityMappingOptional = TypedDict("_CapabilityMappingOptional", {
    "description": str,
}, total=False)


class CapabilityMapping(_CapabilityMappingRequired, _CapabilityMappingOptional):
    pass


CardAmendment = TypedDict("CardAmendment", {
    "amendment_id": str,
    "agent_id": str,
    "field_changed": str,
    "previous_value": Any,
    "new_value": Any,
    "reason": str,
    "linked_reclassification_id": Union[str, None],
    "created_at": str,
    "from_version": int,
    "to_version": int,
    "created_by": str,
})


_CardAmendmentPageRequired = TypedDict("_CardAmendmentPageRequired", {
    "card_amendments": "list[CardAmendment]",
    "total": int,
    "page": int,
    "per_page": int,
})


_CardAmendmentPageOptional = TypedDict("_CardAmendmentPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class CardAmendmentPage(_CardAmendmentPageRequired, _CardAmendmentPageOptional):
    pass


CardCoverage = TypedDict("CardCoverage", {
    "total_card_actions": int,
    "mapped_card_actions": list[str],
    "unmapped_card_actions": list[str],
    "coverage_pct": float,
})


CardGap = TypedDict("CardGap", {
    "tool": str,
    "capability": str,
    "missing_card_actions": list[str],
    "reason": str,
})


_CardTemplate_template = TypedDict("_CardTemplate_template", {
    "card_id": str,
    "agent_id": Union[str, None],
    "is_active": bool,
    "card_json": "CardTemplateJson",
    "conscience_values": "list[ConscienceValueContent]",
    "issued_at": str,
})


CardTemplate = TypedDict("CardTemplate", {
    "org_id": str,
    "enabled": bool,
    "template": "_CardTemplate_template",
    "created_by": str,
    "updated_by": str,
    "created_at": str,
    "updated_at": str,
})


__CardTemplateChange_templateRequired = TypedDict("__CardTemplateChange_templateRequired", {
    "card_json": "CardTemplateJson",
})


__CardTemplateChange_templateOptional = TypedDict("__CardTemplateChange_templateOptional", {
    "conscience_values": list[Any],
    "card_id": str,
    "agent_id": Union[str, None],
    "is_active": bool,
    "issued_at": str,
}, total=False)


class _CardTemplateChange_template(__CardTemplateChange_templateRequired, __CardTemplateChange_templateOptional):
    pass


CardTemplateChange = TypedDict("CardTemplateChange", {
    "enabled": bool,
    "template": "_CardTemplateChange_template",
})


CardTemplateExemption = TypedDict("CardTemplateExemption", {
    "agent_id": str,
    "exempt": bool,
    "reason": Union[str, None],
    "updated_at": str,
})


_CardTemplateExemptionChangeRequired = TypedDict("_CardTemplateExemptionChangeRequired", {
    "exempt": bool,
})


_CardTemplateExemptionChangeOptional = TypedDict("_CardTemplateExemptionChangeOptional", {
    "reason": Union[str, None],
}, total=False)


class CardTemplateExemptionChange(_CardTemplateExemptionChangeRequired, _CardTemplateExemptionChangeOptional):
    pass


CardTemplateJson = dict[str, Any]


CardValidation = TypedDict("CardValidation", {
    "valid": bool,
    "errors": "list[ValidationFinding]",
    "warnings": "list[ValidationFinding]",
})


_Certificate_subject = TypedDict("_Certificate_subject", {
    "checkpoint_id": str,
    "agent_id": str,
    "session_id": str,
    "card_id": str,
})


_Certificate_claims_concerns = TypedDict("_Certificate_claims_concerns", {
    "category": str,
    "severity": str,
    "description": str,
})


_Certificate_claims = TypedDict("_Certificate_claims", {
    "verdict": str,
    "concerns": "list[_Certificate_claims_concerns]",
    "confidence": float,
    "reasoning_summary": str,
    "analyzer": str,
    "analysis_model": str,
    "analysis_duration_ms": float,
    "synthetic": bool,
})


_Certificate_input_commitments = TypedDict("_Certificate_input_commitments", {
    "thinking_block_hash": str,
    "output_block_hash": Union[str, None],
    "card_hash": str,
    "values_hash": str,
    "context_hash": str,
    "model_version": str,
    "template_version": str,
    "combined_commitment": str,
})


_Certificate_proofs_signature = TypedDict("_Certificate_proofs_signature", {
    "algorithm": str,
    "key_id": str,
    "value": str,
    "signed_payload": str,
})


_Certificate_proofs_chain = TypedDict("_Certificate_proofs_chain", {
    "record_hash": str,
    "chain_hash": str,
    "prev_chain_hash": Union[str, None],
    "position": int,
})


_Certificate_proofs_merkle = TypedDict("_Certificate_proofs_merkle", {
    "leaf_hash": str,
    "leaf_index": int,
    "root": str,
    "tree_size": int,
    "inclusion_proof": "list[MerkleSibling]",
})


_Certificate_proofs = TypedDict("_Certificate_proofs", {
    "signature": "_Certificate_proofs_signature",
    "chain": "_Certificate_proofs_chain",
    "merkle": "Union[_Certificate_proofs_merkle, None]",
    "verdict_derivation": None,
})


_Certificate_verification = TypedDict("_Certificate_verification", {
    "keys_url": str,
    "certificate_url": str,
    "verify_url": str,
})


_CertificateRequired = TypedDict("_CertificateRequired", {
    "@context": str,
    "type": str,
    "version": str,
    "certificate_id": str,
    "issued_at": str,
    "timestamp": str,
    "subject": "_Certificate_subject",
    "claims": "_Certificate_claims",
    "input_commitments": "_Certificate_input_commitments",
    "proofs": "_Certificate_proofs",
    "verification": "_Certificate_verification",
})


_CertificateOptional = TypedDict("_CertificateOptional", {
    "log": "LogProof",
}, total=False)


class Certificate(_CertificateRequired, _CertificateOptional):
    pass


CertificateToVerify = TypedDict("CertificateToVerify", {
    "certificate": Any,
})


_CertificateVerification_checks_signature = TypedDict("_CertificateVerification_checks_signature", {
    "valid": bool,
    "key_id": str,
})


_CertificateVerification_checks_record = TypedDict("_CertificateVerification_checks_record", {
    "valid": bool,
    "record_hash": str,
})


_CertificateVerification_checks_chain = TypedDict("_CertificateVerification_checks_chain", {
    "valid": bool,
    "chain_hash": str,
})


_CertificateVerification_checks_merkle = TypedDict("_CertificateVerification_checks_merkle", {
    "valid": bool,
    "root": str,
})


_CertificateVerification_checks_input_commitment = TypedDict("_CertificateVerification_checks_input_commitment", {
    "valid": bool,
    "commitment": str,
})


_CertificateVerification_checks_log = TypedDict("_CertificateVerification_checks_log", {
    "valid": bool,
    "index": int,
    "cosigned_by": Union[list[str], None],
})


__CertificateVerification_checksRequired = TypedDict("__CertificateVerification_checksRequired", {
    "signature": "_CertificateVerification_checks_signature",
    "record": "_CertificateVerification_checks_record",
    "chain": "_CertificateVerification_checks_chain",
    "merkle": "Union[_CertificateVerification_checks_merkle, None]",
    "input_commitment": "_CertificateVerification_checks_input_commitment",
    "verdict_derivation": None,
})


__CertificateVerification_checksOptional = TypedDict("__CertificateVerification_checksOptional", {
    "log": "_CertificateVerification_checks_log",
}, total=False)


class _CertificateVerification_checks(__CertificateVerification_checksRequired, __CertificateVerification_checksOptional):
    pass


CertificateVerification = TypedDict("CertificateVerification", {
    "valid": bool,
    "checks": "_CertificateVerification_checks",
    "details": str,
})


ChangedRole = TypedDict("ChangedRole", {
    "org_id": str,
    "user_id": str,
    "old_role": "Role",
    "new_role": "Role",
})


_Checkpoint_conscience_context = TypedDict("_Checkpoint_conscience_context", {
    "values_checked": list[str],
    "conflicts": list[str],
    "supports": list[str],
    "considerations": list[str],
    "consultation_depth": str,
})


_Checkpoint_window_position = TypedDict("_Checkpoint_window_position", {
    "index": int,
    "window_size": int,
})


__Checkpoint_analysis_metadataRequired = TypedDict("__Checkpoint_analysis_metadataRequired", {
    "analyzer": "Analyzer",
    "analysis_model": str,
    "template_version": str,
    "analysis_duration_ms": int,
    "analysis_scope": Literal["thinking_only", "thinking_and_output"],
    "thinking_tokens_original": int,
    "thinking_tokens_analyzed": int,
    "truncated": bool,
    "extraction_confidence": float,
})


__Checkpoint_analysis_metadataOptional = TypedDict("__Checkpoint_analysis_metadataOptional", {
    "output_tokens_original": int,
    "output_tokens_analyzed": int,
    "output_truncated": bool,
    "ungoverned": Literal[True],
    "thinking_withheld": Literal[True],
}, total=False)


class _Checkpoint_analysis_metadata(__Checkpoint_analysis_metadataRequired, __Checkpoint_analysis_metadataOptional):
    pass


Checkpoint = TypedDict("Checkpoint", {
    "checkpoint_id": str,
    "agent_id": str,
    "card_id": str,
    "session_id": str,
    "timestamp": str,
    "created_at": str,
    "received_at": str,
    "provenance": "Provenance",
    "decision_ids": list[str],
    "thinking_block_hash": str,
    "output_block_hash": Union[str, None],
    "provider": str,
    "model": str,
    "verdict": "Verdict",
    "violation_type": Union[str, None],
    "concerns": "list[Concern]",
    "reasoning_summary": str,
    "conscience_context": "_Checkpoint_conscience_context",
    "window_position": "Union[_Checkpoint_window_position, None]",
    "analysis_metadata": "_Checkpoint_analysis_metadata",
    "synthetic": bool,
    "synthetic_reason": Union[str, None],
    "flags": "list[CheckpointFlag]",
    "excluded_from_score": bool,
    "cross_validation_warnings": list[str],
    "reclassification": "Union[ReclassifiedType, None]",
    "linked_trace_id": Union[str, None],
    "log_index": Union[int, None],
})


_CheckpointBatchItemRequired = TypedDict("_CheckpointBatchItemRequired", {
    "index": int,
    "status": Literal["created", "duplicate", "rejected"],
})


_CheckpointBatchItemOptional = TypedDict("_CheckpointBatchItemOptional", {
    "checkpoint_id": str,
    "verdict": "Verdict",
    "proceed": bool,
    "synthetic": bool,
    "error": str,
    "message": str,
}, total=False)


class CheckpointBatchItem(_CheckpointBatchItemRequired, _CheckpointBatchItemOptional):
    pass


CheckpointBatchResult = TypedDict("CheckpointBatchResult", {
    "results": "list[CheckpointBatchItem]",
    "accepted": int,
    "duplicates": int,
    "rejected": int,
})


CheckpointFlag = Literal["uniform_timing", "identical_content", "low_novelty", "word_salad", "burst"]


_CheckpointPageRequired = TypedDict("_CheckpointPageRequired", {
    "checkpoints": "list[Checkpoint]",
    "total": int,
    "page": int,
    "per_page": int,
})


_CheckpointPageOptional = TypedDict("_CheckpointPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class CheckpointPage(_CheckpointPageRequired, _CheckpointPageOptional):
    pass


_CheckpointResult_enforcement = TypedDict("_CheckpointResult_enforcement", {
    "mode": "EnforcementMode",
    "action": Literal["none", "nudge", "block"],
    "message": Union[str, None],
})


_CheckpointResult_window_summary = TypedDict("_CheckpointResult_window_summary", {
    "size": int,
    "max_size": int,
    "verdicts": "VerdictCounts",
    "integrity_ratio": float,
    "drift_alert_active": bool,
})


_CheckpointResult_attestation = TypedDict("_CheckpointResult_attestation", {
    "chain_hash": str,
    "position": int,
    "leaf_index": Union[int, None],
    "certificate_id": str,
})


CheckpointResult = TypedDict("CheckpointResult", {
    "checkpoint": "AnalysedCheckpoint",
    "proceed": bool,
    "recommended_action": "RecommendedAction",
    "duplicate": bool,
    "enforcement": "_CheckpointResult_enforcement",
    "window_summary": "_CheckpointResult_window_summary",
    "attestation": "Union[_CheckpointResult_attestation, None]",
})


ClaimedAgent = TypedDict("ClaimedAgent", {
    "claimed": Literal[True],
    "agent_id": str,
    "claimed_at": Union[str, None],
})


_Coherence_value_alignment_conflicts = TypedDict("_Coherence_value_alignment_conflicts", {
    "declared_by": str,
    "opposed_by": str,
    "value": str,
})


_Coherence_value_alignment = TypedDict("_Coherence_value_alignment", {
    "matched": list[str],
    "unmatched": list[str],
    "conflicts": "list[_Coherence_value_alignment_conflicts]",
})


Coherence = TypedDict("Coherence", {
    "agent_a": str,
    "agent_b": str,
    "score": float,
    "compatible": bool,
    "value_alignment": "_Coherence_value_alignment",
    "checked_at": str,
})


_CoherenceCheckRequired = TypedDict("_CoherenceCheckRequired", {
    "agent_a": str,
    "agent_b": str,
})


_CoherenceCheckOptional = TypedDict("_CoherenceCheckOptional", {
    "required_values": list[str],
}, total=False)


class CoherenceCheck(_CoherenceCheckRequired, _CoherenceCheckOptional):
    pass


CoherenceCluster = TypedDict("CoherenceCluster", {
    "cluster_id": int,
    "agent_ids": list[str],
    "internal_coherence": float,
    "shared_values": list[str],
    "distinguishing_values": list[str],
})


CoherenceOutlier = TypedDict("CoherenceOutlier", {
    "agent_id": str,
    "agent_mean_score": float,
    "fleet_mean_score": float,
    "deviation": float,
    "primary_conflicts": list[str],
})


CoherencePair = TypedDict("CoherencePair", {
    "agent_a": str,
    "agent_b": str,
    "score": float,
    "compatible": bool,
    "matched": int,
    "conflicts": int,
})


ComparedReputation = TypedDict("ComparedReputation", {
    "agent_id": str,
    "score": Union[int, None],
    "grade": "Grade",
    "assurance": Union[int, None],
    "assured_score": Union[int, None],
    "components": "ComponentScores",
})


ComplianceExport = TypedDict("ComplianceExport", {
    "agent_id": str,
    "export_date": str,
    "violations": "list[Violation]",
    "reclassifications": "list[Reclassification]",
    "card_amendments": "list[CardAmendment]",
    "score_history": "list[ExportedScore]",
    "integrity_chain_valid": bool,
})


ComponentHistory = TypedDict("ComponentHistory", {
    "integrity_ratio": Union[float, None],
    "compliance": Union[float, None],
    "drift_stability": Union[float, None],
    "trace_completeness": Union[float, None],
    "coherence_compatibility": Union[float, None],
})


ComponentScores = TypedDict("ComponentScores", {
    "integrity_ratio": Union[int, None],
    "compliance": Union[int, None],
    "drift_stability": Union[int, None],
    "trace_completeness": Union[int, None],
    "coherence_compatibility": Union[int, None],
})


_ConcernRequired = TypedDict("_ConcernRequired", {
    "category": "ConcernCategory",
    "severity": "Severity",
    "description": str,
    "evidence": str,
    "relevant_card_field": Union[str, None],
    "relevant_conscience_value": Union[str, None],
})


_ConcernOptional = TypedDict("_ConcernOptional", {
    "subject": "Union[ConcernSubject, None]",
}, total=False)


class Concern(_ConcernRequired, _ConcernOptional):
    pass


ConcernCategory = Literal["prompt_injection", "value_misalignment", "autonomy_violation", "reasoning_corruption", "deceptive_reasoning", "undeclared_intent", "output_misalignment", "output_injection_compliance"]


_ConcernSubjectRequired = TypedDict("_ConcernSubjectRequired", {
    "kind": Literal["declared_action", "mentioned_action", "value", "conscience_value", "trigger", "limit"],
    "name": str,
})


_ConcernSubjectOptional = TypedDict("_ConcernSubjectOptional", {
    "amount": Union[float, None],
    "action": Union[str, None],
}, total=False)


class ConcernSubject(_ConcernSubjectRequired, _ConcernSubjectOptional):
    pass


Confidence = Literal["insufficient", "low", "medium", "high"]


ConnectionMode = Literal["enforce", "observe"]


ConscienceAction = Literal["create", "update", "activate", "deactivate", "delete", "reorder", "mode_change"]


ConscienceMode = Literal["augment", "replace"]


ConscienceOrder = TypedDict("ConscienceOrder", {
    "order": list[str],
})


ConscienceSettings = TypedDict("ConscienceSettings", {
    "org_id": str,
    "mode": "ConscienceMode",
    "enabled": bool,
})


ConscienceSettingsChange = TypedDict("ConscienceSettingsChange", {
    "mode": "ConscienceMode",
    "enabled": bool,
}, total=False)


ConscienceSeverity = Literal["advisory", "mandatory"]


ConscienceSource = Literal["base", "org", "template", "agent"]


ConscienceType = Literal["BOUNDARY", "FEAR", "COMMITMENT", "BELIEF", "HOPE"]


ConscienceValue = TypedDict("ConscienceValue", {
    "id": str,
    "org_id": str,
    "name": str,
    "description": str,
    "type": "ConscienceType",
    "severity": "ConscienceSeverity",
    "is_active": bool,
    "sort_order": int,
    "created_by": str,
    "updated_by": str,
    "created_at": str,
    "updated_at": str,
})


_ConscienceValueChangePageRequired = TypedDict("_ConscienceValueChangePageRequired", {
    "org_id": str,
    "entries": "list[ConscienceValueLogEntry]",
    "total": int,
    "page": int,
    "per_page": int,
})


_ConscienceValueChangePageOptional = TypedDict("_ConscienceValueChangePageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class ConscienceValueChangePage(_ConscienceValueChangePageRequired, _ConscienceValueChangePageOptional):
    pass


ConscienceValueChanges = TypedDict("ConscienceValueChanges", {
    "name": str,
    "description": str,
    "type": "ConscienceType",
    "severity": "ConscienceSeverity",
    "is_active": bool,
}, total=False)


ConscienceValueContent = TypedDict("ConscienceValueContent", {
    "type": "ConscienceType",
    "name": str,
    "content": str,
})


ConscienceValueLogEntry = TypedDict("ConscienceValueLogEntry", {
    "id": str,
    "org_id": str,
    "action": "ConscienceAction",
    "actor": str,
    "value_id": Union[str, None],
    "changes": "dict[str, FieldChange]",
    "metadata": dict[str, Any],
    "created_at": str,
})


ConscienceValueSet = TypedDict("ConscienceValueSet", {
    "org_id": str,
    "mode": "ConscienceMode",
    "enabled": bool,
    "values": "list[ConscienceValue]",
})


ConsistencyProof = TypedDict("ConsistencyProof", {
    "first": int,
    "second": int,
    "first_root": str,
    "second_root": str,
    "proof": list[str],
})


_ContainedDecisionRequired = TypedDict("_ContainedDecisionRequired", {
    "error": str,
    "message": str,
})


_ContainedDecisionOptional = TypedDict("_ContainedDecisionOptional", {
    "type": Literal["containment_error"],
    "reason": Literal["agent_paused", "agent_killed"],
    "agent_id": str,
    "containment_status": Literal["paused", "killed"],
    "contained_at": str,
    "decision": Literal["block"],
    "decision_id": str,
    "receipt": "DecisionReceipt",
}, total=False)


class ContainedDecision(_ContainedDecisionRequired, _ContainedDecisionOptional):
    pass


Containment = TypedDict("Containment", {
    "agent_id": str,
    "status": "ContainmentStatus",
    "contained_at": Union[str, None],
    "contained_by": Union[str, None],
    "containment_reason": Union[str, None],
    "auto_containment_threshold": Union[int, None],
    "log": "list[ContainmentLogEntry]",
})


ContainmentAction = Literal["pause", "auto_pause", "resume", "kill", "reactivate"]


ContainmentLogEntry = TypedDict("ContainmentLogEntry", {
    "id": str,
    "action": "ContainmentAction",
    "actor": str,
    "reason": Union[str, None],
    "previous_status": "ContainmentStatus",
    "new_status": "ContainmentStatus",
    "created_at": str,
    "prev_hash": str,
    "entry_hash": str,
})


ContainmentPolicy = TypedDict("ContainmentPolicy", {
    "agent_id": str,
    "auto_containment_threshold": Union[int, None],
})


ContainmentPolicyChange = TypedDict("ContainmentPolicyChange", {
    "auto_containment_threshold": Union[int, None],
})


_ContainmentProblemRequired = TypedDict("_ContainmentProblemRequired", {
    "error": str,
    "message": str,
})


_ContainmentProblemOptional = TypedDict("_ContainmentProblemOptional", {
    "type": Literal["containment_error"],
    "reason": Literal["agent_paused", "agent_killed"],
    "agent_id": str,
    "containment_status": Literal["paused", "killed"],
    "contained_at": str,
}, total=False)


class ContainmentProblem(_ContainmentProblemRequired, _ContainmentProblemOptional):
    pass


ContainmentRequest = TypedDict("ContainmentRequest", {
    "reason": Union[str, None],
}, total=False)


ContainmentResult = TypedDict("ContainmentResult", {
    "agent_id": str,
    "containment_status": "ContainmentStatus",
    "contained_at": Union[str, None],
    "contained_by": Union[str, None],
    "containment_reason": Union[str, None],
})


ContainmentStatus = Literal["active", "paused", "killed"]


Contracts = TypedDict("Contracts", {
    "chain": Literal["base"],
    "chain_id": int,
    "mode": Literal["embedded", "rpc"],
    "merkle_anchor": str,
    "reputation_registry": str,
    "relayer": str,
})


ControlFramework = Literal["eu_ai_act", "iso_42001", "soc2", "owasp_agentic", "nist_ai_rmf"]


CoordinationMode = Literal["parallel", "sequential", "hierarchical", "consensus"]


CredentialKind = Literal["pass_through", "sealed"]


_DecisionRequired = TypedDict("_DecisionRequired", {
    "decision_id": str,
    "decision": "DecisionOutcome",
    "reasons": "list[DecisionReason]",
    "verdict": "Union[PolicyVerdict, None]",
    "enforcement_mode": "Union[PolicyMode, None]",
    "agent_enforcement_mode": "EnforcementMode",
    "policy_id": Union[str, None],
    "policy_version": Union[int, None],
    "transaction_id": Union[str, None],
    "escalation_id": Union[str, None],
    "notices": "list[Nudge]",
    "decided_at": str,
    "duration_ms": float,
    "receipt": "DecisionReceipt",
})


_DecisionOptional = TypedDict("_DecisionOptional", {
    "recorded": Literal[False],
}, total=False)


class Decision(_DecisionRequired, _DecisionOptional):
    pass


_DecisionBatch_path = TypedDict("_DecisionBatch_path", {
    "hash": str,
    "position": Literal["left", "right"],
})


DecisionBatch = TypedDict("DecisionBatch", {
    "at": str,
    "root": str,
    "size": int,
    "index": int,
    "path": "list[_DecisionBatch_path]",
})


DecisionDurations = TypedDict("DecisionDurations", {
    "p50": Union[float, None],
    "p99": Union[float, None],
})


DecisionExportFormat = Literal["ndjson", "csv"]


DecisionOutcome = Literal["allow", "warn", "escalate", "block"]


DecisionOutcomeFilter = Literal["executed", "failed", "not_executed", "none", "bypassed"]


_DecisionOutcomeReportRequired = TypedDict("_DecisionOutcomeReportRequired", {
    "decision_id": str,
    "status": "CallOutcomeStatus",
})


_DecisionOutcomeReportOptional = TypedDict("_DecisionOutcomeReportOptional", {
    "duration_ms": float,
    "error": str,
    "result_hash": str,
}, total=False)


class DecisionOutcomeReport(_DecisionOutcomeReportRequired, _DecisionOutcomeReportOptional):
    pass


DecisionReason = TypedDict("DecisionReason", {
    "code": str,
    "source": Literal["containment", "integrity", "transaction", "policy", "system"],
    "tool": str,
    "message": str,
    "severity": "Union[Severity, None]",
})


_DecisionReceipt_statement = TypedDict("_DecisionReceipt_statement", {
    "@context": Literal["urn:touchstone:decision-receipt:v1"],
    "decision_id": str,
    "decision": "DecisionOutcome",
    "agent_id": str,
    "tool": str,
    "arguments_hash": Union[str, None],
    "policy_id": Union[str, None],
    "policy_version": Union[int, None],
    "transaction_id": Union[str, None],
    "escalation_id": Union[str, None],
    "decided_at": str,
})


_DecisionReceipt_signature = TypedDict("_DecisionReceipt_signature", {
    "algorithm": Literal["Ed25519"],
    "key_id": str,
    "value": str,
})


_DecisionReceiptRequired = TypedDict("_DecisionReceiptRequired", {
    "statement": "_DecisionReceipt_statement",
    "signature": "_DecisionReceipt_signature",
})


_DecisionReceiptOptional = TypedDict("_DecisionReceiptOptional", {
    "batch": "DecisionBatch",
}, total=False)


class DecisionReceipt(_DecisionReceiptRequired, _DecisionReceiptOptional):
    pass


DecisionRecord = TypedDict("DecisionRecord", {
    "decision_id": str,
    "org_id": str,
    "agent_id": str,
    "session_id": Union[str, None],
    "call_id": Union[str, None],
    "tool": str,
    "arguments_hash": Union[str, None],
    "decision": "DecisionOutcome",
    "reasons": "list[DecisionReason]",
    "verdict": "Union[PolicyVerdict, None]",
    "enforcement_mode": "Union[PolicyMode, None]",
    "agent_enforcement_mode": "EnforcementMode",
    "policy_id": Union[str, None],
    "policy_version": Union[int, None],
    "transaction_id": Union[str, None],
    "escalation_id": Union[str, None],
    "decided_at": str,
    "duration_ms": float,
    "enforced": bool,
    "source": "DecisionSource",
    "client": Union[str, None],
    "receipt": "DecisionReceipt",
    "outcome": "Union[CallOutcome, None]",
    "log_index": Union[int, None],
})


DecisionRecordList = TypedDict("DecisionRecordList", {
    "decisions": "list[DecisionRecord]",
    "next_cursor": Union[str, None],
})


DecisionResult = TypedDict("DecisionResult", {
    "status": int,
    "body": "Union[Decision, ContainedDecision, Problem]",
})


DecisionSource = Literal["api", "sdk", "mcp_guard", "hook", "model_gateway"]


DecisionStats = TypedDict("DecisionStats", {
    "interval": "StatsInterval",
    "buckets": "list[DecisionStatsBucket]",
    "totals": dict[str, int],
    "duration_ms": "DecisionDurations",
})


DecisionStatsBucket = TypedDict("DecisionStatsBucket", {
    "start": str,
    "counts": dict[str, int],
    "duration_ms": "DecisionDurations",
})


Decisions = TypedDict("Decisions", {
    "results": "list[DecisionResult]",
})


DeletedAccount = TypedDict("DeletedAccount", {
    "success": Literal[True],
})


DeletedCardTemplate = TypedDict("DeletedCardTemplate", {
    "deleted": Literal[True],
})


DeletedConscienceValue = TypedDict("DeletedConscienceValue", {
    "deleted": Literal[True],
    "id": str,
})


DeletedOrg = TypedDict("DeletedOrg", {
    "deleted": Literal[True],
})


DeletedWebhook = TypedDict("DeletedWebhook", {
    "deleted": Literal[True],
    "endpoint_id": str,
})


DeliveryStatus = Literal["pending", "delivering", "retrying", "delivered", "failed"]


DerivedTeamCard = TypedDict("DerivedTeamCard", {
    "derived_card": "TeamCardJson",
    "card_source": Literal["auto_derived"],
    "member_count": int,
    "members_with_cards": int,
    "version": Union[int, None],
    "changed": bool,
    "dropped_conflicts": list[str],
})


DirectoryEntry = TypedDict("DirectoryEntry", {
    "agent_id": str,
    "agent_name": str,
    "score": int,
    "grade": "RatedGrade",
    "tier": str,
    "confidence": "Confidence",
    "checkpoint_count": int,
    "trend_30d": int,
    "assurance": Union[int, None],
    "assured_score": Union[int, None],
    "visibility": Literal["public", "unlisted"],
    "claimed": bool,
    "reclassified": "ReclassifiedViolations",
})


_DirectoryEntryPageRequired = TypedDict("_DirectoryEntryPageRequired", {
    "agents": "list[DirectoryEntry]",
    "total": int,
    "page": int,
    "per_page": int,
})


_DirectoryEntryPageOptional = TypedDict("_DirectoryEntryPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class DirectoryEntryPage(_DirectoryEntryPageRequired, _DirectoryEntryPageOptional):
    pass


DirectorySort = Literal["score", "name", "trend", "checkpoints", "assurance"]


DriftAcknowledgement = TypedDict("DriftAcknowledgement", {
    "alert_ids": list[str],
})


DriftAlert = TypedDict("DriftAlert", {
    "alert_id": str,
    "agent_id": str,
    "kind": "DriftKind",
    "session_id": str,
    "card_id": str,
    "status": "DriftStatus",
    "severity": "DriftSeverity",
    "similarity": float,
    "threshold": float,
    "sustained": int,
    "drift_direction": str,
    "checkpoint_ids": list[str],
    "trace_ids": list[str],
    "message": str,
    "detected_at": str,
    "resolved_at": Union[str, None],
    "resolution": "Union[DriftResolution, None]",
    "acknowledged_by": Union[str, None],
})


_DriftAlertPageRequired = TypedDict("_DriftAlertPageRequired", {
    "alerts": "list[DriftAlert]",
    "total": int,
    "page": int,
    "per_page": int,
})


_DriftAlertPageOptional = TypedDict("_DriftAlertPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class DriftAlertPage(_DriftAlertPageRequired, _DriftAlertPageOptional):
    pass


DriftKind = Literal["integrity", "trace"]


DriftResolution = Literal["acknowledged", "recovered"]


DriftSeverity = Literal["low", "medium", "high"]


DriftStatus = Literal["open", "resolved"]


_EffectivePolicyRequired = TypedDict("_EffectivePolicyRequired", {
    "id": str,
    "version": int,
    "meta": "PolicyMeta",
    "capability_mappings": "dict[str, CapabilityMapping]",
    "forbidden": "list[ForbiddenRule]",
    "escalation_triggers": "list[EscalationTrigger]",
    "defaults": "PolicyDefaults",
})


_EffectivePolicyOptional = TypedDict("_EffectivePolicyOptional", {
    "limits": "list[PolicyLimit]",
    "flows": "list[PolicyFlow]",
    "model_limits": "list[ModelLimit]",
}, total=False)


class EffectivePolicy(_EffectivePolicyRequired, _EffectivePolicyOptional):
    pass


EndedImpersonation = TypedDict("EndedImpersonation", {
    "ended": Literal[True],
    "session_id": str,
})


EndedSessions = TypedDict("EndedSessions", {
    "ended": int,
})


Enforcement = TypedDict("Enforcement", {
    "agent_id": str,
    "enforcement_mode": "EnforcementMode",
    "nudge_strategy": "NudgeStrategy",
    "nudge_rate": int,
    "nudge_threshold": int,
})


_EnforcementChangeRequired = TypedDict("_EnforcementChangeRequired", {
    "mode": "EnforcementMode",
})


_EnforcementChangeOptional = TypedDict("_EnforcementChangeOptional", {
    "nudge_strategy": "NudgeStrategy",
    "nudge_rate": int,
    "nudge_threshold": int,
}, total=False)


class EnforcementChange(_EnforcementChangeRequired, _EnforcementChangeOptional):
    pass


EnforcementMode = Literal["observe", "nudge", "enforce"]


EnrolledSecondFactor = TypedDict("EnrolledSecondFactor", {
    "secret": str,
    "otpauth_uri": str,
})


_Escalation_rule = TypedDict("_Escalation_rule", {
    "condition": str,
    "reason": str,
})


Escalation = TypedDict("Escalation", {
    "escalation_id": str,
    "agent_id": str,
    "tool": str,
    "session_id": Union[str, None],
    "arguments_hash": Union[str, None],
    "arguments_stored": bool,
    "arguments_truncated": bool,
    "justification": Union[str, None],
    "transaction_id": Union[str, None],
    "decision_id": Union[str, None],
    "requested_by": Union[str, None],
    "reason": str,
    "rule": "Union[_Escalation_rule, None]",
    "approvals_required": int,
    "approval_roles": "list[Role]",
    "local": bool,
    "approval_scopes": "list[ApprovalScope]",
    "approvals": "list[Approval]",
    "status": "EscalationStatus",
    "created_at": str,
    "expires_at": str,
    "resolved_by": Union[str, None],
    "resolved_at": Union[str, None],
    "note": Union[str, None],
    "scope": "Union[ApprovalScope, None]",
    "valid_until": Union[str, None],
    "uses_left": Union[int, None],
    "used_at": Union[str, None],
    "approve_url": str,
})


_EscalationDetail_rule = TypedDict("_EscalationDetail_rule", {
    "condition": str,
    "reason": str,
})


EscalationDetail = TypedDict("EscalationDetail", {
    "escalation_id": str,
    "agent_id": str,
    "tool": str,
    "session_id": Union[str, None],
    "arguments_hash": Union[str, None],
    "arguments_stored": bool,
    "arguments_truncated": bool,
    "justification": Union[str, None],
    "transaction_id": Union[str, None],
    "decision_id": Union[str, None],
    "requested_by": Union[str, None],
    "reason": str,
    "rule": "Union[_EscalationDetail_rule, None]",
    "approvals_required": int,
    "approval_roles": "list[Role]",
    "local": bool,
    "approval_scopes": "list[ApprovalScope]",
    "approvals": "list[Approval]",
    "status": "EscalationStatus",
    "created_at": str,
    "expires_at": str,
    "resolved_by": Union[str, None],
    "resolved_at": Union[str, None],
    "note": Union[str, None],
    "scope": "Union[ApprovalScope, None]",
    "valid_until": Union[str, None],
    "uses_left": Union[int, None],
    "used_at": Union[str, None],
    "approve_url": str,
    "arguments": Union[dict[str, Any], str, None],
})


_EscalationPageRequired = TypedDict("_EscalationPageRequired", {
    "escalations": "list[Escalation]",
    "total": int,
    "page": int,
    "per_page": int,
})


_EscalationPageOptional = TypedDict("_EscalationPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class EscalationPage(_EscalationPageRequired, _EscalationPageOptional):
    pass


_EscalationResolutionRequired = TypedDict("_EscalationResolutionRequired", {
    "outcome": Literal["approve", "reject"],
})


_EscalationResolutionOptional = TypedDict("_EscalationResolutionOptional", {
    "note": str,
    "scope": "ApprovalScope",
    "ttl_minutes": int,
}, total=False)


class EscalationResolution(_EscalationResolutionRequired, _EscalationResolutionOptional):
    pass


EscalationStatus = Literal["pending", "approved", "rejected", "expired"]


_EscalationTriggerRequired = TypedDict("_EscalationTriggerRequired", {
    "condition": str,
    "action": str,
    "reason": str,
})


_EscalationTriggerOptional = TypedDict("_EscalationTriggerOptional", {
    "severity": str,
    "approval": "ApprovalBlock",
}, total=False)


class EscalationTrigger(_EscalationTriggerRequired, _EscalationTriggerOptional):
    pass


EvaluationContext = Literal["gateway", "runtime", "audit"]


EventSubscription = Literal["integrity.checkpoint", "integrity.violation", "drift.detected", "drift.resolved", "conscience.escalation", "conscience.values_updated", "agent.paused", "agent.resumed", "agent.killed", "trace.created", "trace.verified", "trace.failed", "trace.escalation_required", "policy.violation", "reputation.score_changed", "reputation.grade_changed", "team.created", "team.archived", "team.member_added", "team.member_removed", "team.card_updated", "team_reputation.score_changed", "team_reputation.grade_changed", "quota.team_reputation_warning", "quota.team_reputation_exceeded", "quota.warning", "quota.exceeded", "subscription.status_changed", "decision.blocked", "decision.escalated", "decision.bypassed", "escalation.resolved", "log.unwitnessed", "*", "integrity.*", "drift.*", "conscience.*", "agent.*", "trace.*", "policy.*", "reputation.*", "team.*", "team_reputation.*", "quota.*", "subscription.*", "decision.*", "escalation.*", "log.*"]


EventType = Literal["integrity.checkpoint", "integrity.violation", "drift.detected", "drift.resolved", "conscience.escalation", "conscience.values_updated", "agent.paused", "agent.resumed", "agent.killed", "trace.created", "trace.verified", "trace.failed", "trace.escalation_required", "policy.violation", "reputation.score_changed", "reputation.grade_changed", "team.created", "team.archived", "team.member_added", "team.member_removed", "team.card_updated", "team_reputation.score_changed", "team_reputation.grade_changed", "quota.team_reputation_warning", "quota.team_reputation_exceeded", "quota.warning", "quota.exceeded", "subscription.status_changed", "decision.blocked", "decision.escalated", "decision.bypassed", "escalation.resolved", "log.unwitnessed", "webhook.test"]


EvidencePack = TypedDict("EvidencePack", {
    "pack_id": str,
    "from": str,
    "to": str,
    "frameworks": "list[ControlFramework]",
    "status": "EvidencePackStatus",
    "progress": int,
    "bytes": Union[int, None],
    "sha256": Union[str, None],
    "error": Union[str, None],
    "created_at": str,
    "expires_at": str,
})


EvidencePackAccepted = TypedDict("EvidencePackAccepted", {
    "pack_id": str,
})


EvidencePackList = TypedDict("EvidencePackList", {
    "packs": "list[EvidencePack]",
})


_EvidencePackRequestRequired = TypedDict("_EvidencePackRequestRequired", {
    "from": str,
    "to": str,
})


_EvidencePackRequestOptional = TypedDict("_EvidencePackRequestOptional", {
    "frameworks": "list[ControlFramework]",
}, total=False)


class EvidencePackRequest(_EvidencePackRequestRequired, _EvidencePackRequestOptional):
    pass


EvidencePackStatus = Literal["queued", "running", "ready", "failed"]


ExportFormat = Literal["json", "ndjson", "csv"]


ExportSection = Literal["violations", "reclassifications", "card_amendments", "score_history"]


ExportedScore = TypedDict("ExportedScore", {
    "week_start": str,
    "score": float,
    "grade": str,
    "checkpoint_count": int,
    "components": dict[str, Union[float, None]],
    "assurance": Union[int, None],
    "assured_score": Union[int, None],
})


ExtractionMethod = Literal["native_thinking", "reasoning_content", "response_analysis"]


FailureMode = TypedDict("FailureMode", {
    "mode": "FailureModeName",
    "description": str,
    "probability": float,
    "severity": "Severity",
    "triggered_by": list[str],
    "affected_agents": list[str],
    "mitigation_available": bool,
})


FailureModeName = Literal["value_override", "escalation_conflict", "coordination_deadlock", "capability_gap", "trust_erosion"]


FallbackReason = Literal["timeout", "http_error", "invalid_output", "invalid_policy"]


FaultLine = TypedDict("FaultLine", {
    "id": str,
    "value": str,
    "classification": "FaultLineClass",
    "severity": "Severity",
    "agents_declaring": list[str],
    "agents_missing": list[str],
    "agents_conflicting": list[str],
    "impact_score": float,
    "resolution_hint": str,
    "affects_capabilities": list[str],
})


_FaultLineAnalysis_summary = TypedDict("_FaultLineAnalysis_summary", {
    "total": int,
    "resolvable": int,
    "priority_mismatch": int,
    "incompatible": int,
    "critical_count": int,
})


_FaultLineAnalysisRequired = TypedDict("_FaultLineAnalysisRequired", {
    "team_id": str,
    "analysis_id": str,
    "fleet_score": float,
    "fault_lines": "list[FaultLine]",
    "summary": "_FaultLineAnalysis_summary",
    "agents_without_card": list[str],
    "created_at": str,
    "produced_by": "IntelligenceProducer",
})


_FaultLineAnalysisOptional = TypedDict("_FaultLineAnalysisOptional", {
    "fallback_reason": "FallbackReason",
}, total=False)


class FaultLineAnalysis(_FaultLineAnalysisRequired, _FaultLineAnalysisOptional):
    pass


FaultLineClass = Literal["resolvable", "priority_mismatch", "incompatible"]


FieldChange = TypedDict("FieldChange", {
    "from": Any,
    "to": Any,
})


_FleetCoherenceRequired = TypedDict("_FleetCoherenceRequired", {
    "org_id": str,
    "computed_at": str,
    "cached": bool,
    "agent_count": int,
    "pair_count": int,
    "agents_without_card": list[str],
    "fleet_score": float,
    "min_pair_score": float,
    "max_pair_score": float,
    "agent_summaries": "list[AgentCoherence]",
    "outliers": "list[CoherenceOutlier]",
    "clusters": "list[CoherenceCluster]",
    "divergence_report": "list[ValueDivergence]",
    "divergence_count": int,
})


_FleetCoherenceOptional = TypedDict("_FleetCoherenceOptional", {
    "pairwise_matrix": "list[CoherencePair]",
}, total=False)


class FleetCoherence(_FleetCoherenceRequired, _FleetCoherenceOptional):
    pass


ForbiddenRule = TypedDict("ForbiddenRule", {
    "pattern": str,
    "reason": str,
    "severity": str,
})


ForecastRequest = TypedDict("ForecastRequest", {
    "team_id": str,
    "fault_line_analysis_id": str,
})


FullAudit = TypedDict("FullAudit", {
    "state": "FullAuditState",
    "requested_at": str,
    "finished_at": Union[str, None],
})


FullAuditRequest = TypedDict("FullAuditRequest", {
    "full": Literal[True],
})


FullAuditState = Literal["running", "finished"]


Grade = Literal["AAA", "AA", "A", "BBB", "BB", "B", "CCC", "NR"]


GradeShare = TypedDict("GradeShare", {
    "grade": "RatedGrade",
    "count": int,
    "percentage": float,
})


HealthCheck = TypedDict("HealthCheck", {
    "status": "HealthStatus",
})


HealthStatus = Literal["ok", "degraded", "down"]


_HistoricalEvaluation_summary = TypedDict("_HistoricalEvaluation_summary", {
    "pass": int,
    "warn": int,
    "fail": int,
})


HistoricalEvaluation = TypedDict("HistoricalEvaluation", {
    "agent_id": str,
    "traces_evaluated": int,
    "verdict": "PolicyVerdict",
    "violation_count": int,
    "violations": "list[HistoricalViolation]",
    "summary": "_HistoricalEvaluation_summary",
    "truncated": bool,
    "policy_id": Union[str, None],
    "policy_version": Union[int, None],
    "evaluated_at": str,
    "duration_ms": float,
})


_HistoricalEvaluationRequest_time_range = TypedDict("_HistoricalEvaluationRequest_time_range", {
    "start": str,
    "end": str,
})


_HistoricalEvaluationRequestRequired = TypedDict("_HistoricalEvaluationRequestRequired", {
    "agent_id": str,
    "time_range": "_HistoricalEvaluationRequest_time_range",
})


_HistoricalEvaluationRequestOptional = TypedDict("_HistoricalEvaluationRequestOptional", {
    "context": "EvaluationContext",
    "policy": Any,
}, total=False)


class HistoricalEvaluationRequest(_HistoricalEvaluationRequestRequired, _HistoricalEvaluationRequestOptional):
    pass


_HistoricalViolationRequired = TypedDict("_HistoricalViolationRequired", {
    "trace_id": str,
    "occurred_at": str,
    "type": Literal["forbidden", "unmapped", "escalation", "limit", "flow", "loop", "tool_changed"],
    "tool": str,
    "reason": str,
    "severity": "Severity",
    "blocking": bool,
    "rule": str,
})


_HistoricalViolationOptional = TypedDict("_HistoricalViolationOptional", {
    "capability": str,
    "action": Literal["escalate", "deny"],
}, total=False)


class HistoricalViolation(_HistoricalViolationRequired, _HistoricalViolationOptional):
    pass


HookAnswer = TypedDict("HookAnswer", {
})


HookEvent = TypedDict("HookEvent", {
})


Impersonation = TypedDict("Impersonation", {
    "id": str,
    "admin_user_id": str,
    "target_user_id": str,
    "target_email": Union[str, None],
    "reason": str,
    "started_at": str,
    "expires_at": str,
})


ImpersonationRequest = TypedDict("ImpersonationRequest", {
    "user_id": str,
    "reason": str,
})


InclusionProof = TypedDict("InclusionProof", {
    "checkpoint_id": str,
    "leaf_hash": str,
    "leaf_index": int,
    "siblings": "list[MerkleSibling]",
    "root": str,
    "tree_size": int,
    "verified": bool,
})


IntelligenceItem = Union["FaultLineAnalysis", "TeamForecast", "PolicyRecommendation"]


IntelligenceProducer = TypedDict("IntelligenceProducer", {
    "kind": Literal["algorithm", "model", "rules"],
    "name": str,
    "version": str,
})


IntelligenceSummary = TypedDict("IntelligenceSummary", {
    "id": str,
    "type": "IntelligenceType",
    "created_at": str,
    "produced_by": "IntelligenceProducer",
})


_IntelligenceSummaryPageRequired = TypedDict("_IntelligenceSummaryPageRequired", {
    "items": "list[IntelligenceSummary]",
    "total": int,
    "page": int,
    "per_page": int,
})


_IntelligenceSummaryPageOptional = TypedDict("_IntelligenceSummaryPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class IntelligenceSummaryPage(_IntelligenceSummaryPageRequired, _IntelligenceSummaryPageOptional):
    pass


IntelligenceType = Literal["fault_lines", "forecast", "recommendation"]


Invitation = TypedDict("Invitation", {
    "invitation_id": str,
    "org_id": str,
    "email": str,
    "role": "InvitedRole",
    "status": "InvitationStatus",
    "invited_by": str,
    "expires_at": str,
    "created_at": str,
})


InvitationAcceptance = TypedDict("InvitationAcceptance", {
    "token": str,
})


_InvitationPageRequired = TypedDict("_InvitationPageRequired", {
    "invitations": "list[Invitation]",
    "total": int,
    "page": int,
    "per_page": int,
})


_InvitationPageOptional = TypedDict("_InvitationPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class InvitationPage(_InvitationPageRequired, _InvitationPageOptional):
    pass


InvitationStatus = Literal["pending", "accepted", "revoked", "expired"]


InvitationWithToken = TypedDict("InvitationWithToken", {
    "invitation_id": str,
    "org_id": str,
    "email": str,
    "role": "InvitedRole",
    "status": "InvitationStatus",
    "invited_by": str,
    "expires_at": str,
    "created_at": str,
    "token": Union[str, None],
})


InvitedRole = Literal["admin", "auditor", "member"]


JoiningRole = Literal["admin", "auditor", "member"]


Jwk = TypedDict("Jwk", {
    "kid": str,
    "kty": Literal["OKP"],
    "crv": Literal["Ed25519"],
    "x": str,
    "alg": Literal["EdDSA"],
    "use": Literal["sig"],
})


JwkSet = TypedDict("JwkSet", {
    "keys": "list[Jwk]",
})


LearnedEffect = Literal["allow", "escalate"]


LearnedPolicy = TypedDict("LearnedPolicy", {
    "agent_id": str,
    "from": str,
    "to": str,
    "message": str,
    "policy": Union[dict[str, Any], None],
    "rules": "list[LearnedRule]",
    "impact": "Union[PolicyImpact, None]",
    "would_have_stopped": "list[StoppedTool]",
    "would_have_stopped_total": int,
    "ignored": dict[str, int],
    "decisions_counted": int,
    "traces_counted": int,
    "truncated": bool,
})


LearnedRule = TypedDict("LearnedRule", {
    "tool": str,
    "effect": "LearnedEffect",
    "capability": str,
    "path": str,
    "escalated_by": Union[str, None],
    "decisions": int,
    "traces": int,
    "first_seen": str,
    "last_seen": str,
})


ListedRiskAssessment = TypedDict("ListedRiskAssessment", {
    "assessment_id": str,
    "subject": "RiskSubject",
    "agent_ids": list[str],
    "team_id": Union[str, None],
    "action_type": "RiskActionType",
    "risk_score": float,
    "risk_level": "RiskLevel",
    "recommendation": "Union[RiskRecommendation, TeamRiskRecommendation]",
    "proof_status": "AssessmentProofStatus",
    "created_at": str,
})


Liveness = TypedDict("Liveness", {
    "status": Literal["ok"],
})


LogCheck = TypedDict("LogCheck", {
    "status": "HealthStatus",
    "size": Union[int, None],
    "published_size": Union[int, None],
    "pending": Union[int, None],
    "last_checkpoint_at": Union[str, None],
    "fault": Union[str, None],
    "witnesses": "list[WitnessCheck]",
})


LogConsistency = TypedDict("LogConsistency", {
    "from": int,
    "to": int,
    "hashes": list[str],
})


LogEntry = TypedDict("LogEntry", {
    "at": str,
    "hash": str,
    "org": str,
    "type": str,
    "v": int,
})


LogEntryType = Literal["approval", "checkpoint", "containment", "decisions", "key", "outcome", "policy", "reclassification", "score"]


_LogProof_record = TypedDict("_LogProof_record", {
})


LogProof = TypedDict("LogProof", {
    "index": int,
    "entry": "LogEntry",
    "nonce": str,
    "record": "_LogProof_record",
    "proof": str,
})


Member = TypedDict("Member", {
    "user_id": str,
    "email": Union[str, None],
    "role": "Role",
    "accepted_at": str,
})


MemberChanges = TypedDict("MemberChanges", {
    "role": "Role",
})


MemberList = TypedDict("MemberList", {
    "members": "list[Member]",
})


Membership = TypedDict("Membership", {
    "org_id": str,
    "name": str,
    "role": "Role",
    "needs_second_factor": bool,
})


MerkleSibling = TypedDict("MerkleSibling", {
    "hash": str,
    "position": str,
})


Meter = Literal["checks", "team_reputation", "risk_assessment", "team_risk_assessment"]


MeterUsage = TypedDict("MeterUsage", {
    "used": int,
    "included": Union[int, None],
    "usage_percent": Union[int, None],
})


ModelConnection = TypedDict("ModelConnection", {
    "connection_id": str,
    "agent_id": str,
    "name": str,
    "provider": "ModelProvider",
    "upstream_url": Union[str, None],
    "credential": "CredentialKind",
    "on_contained": "OnContained",
    "on_error": "OnGatewayError",
    "mode": "ConnectionMode",
    "token_prefix": str,
    "created_by": str,
    "created_at": str,
    "last_used_at": Union[str, None],
})


ModelConnectionChanges = TypedDict("ModelConnectionChanges", {
    "name": str,
    "on_contained": "OnContained",
    "on_error": "OnGatewayError",
    "mode": "ConnectionMode",
}, total=False)


ModelConnectionList = TypedDict("ModelConnectionList", {
    "connections": "list[ModelConnection]",
})


ModelConnectionRotation = TypedDict("ModelConnectionRotation", {
    "grace_hours": int,
}, total=False)


ModelConnectionWithToken = TypedDict("ModelConnectionWithToken", {
    "connection_id": str,
    "agent_id": str,
    "name": str,
    "provider": "ModelProvider",
    "upstream_url": Union[str, None],
    "credential": "CredentialKind",
    "on_contained": "OnContained",
    "on_error": "OnGatewayError",
    "mode": "ConnectionMode",
    "token_prefix": str,
    "created_by": str,
    "created_at": str,
    "last_used_at": Union[str, None],
    "token": Union[str, None],
    "base_url": Union[str, None],
    "environment": Union[dict[str, str], None],
})


_ModelLimitRequired = TypedDict("_ModelLimitRequired", {
    "name": str,
    "models": list[str],
    "per": str,
    "action": str,
})


_ModelLimitOptional = TypedDict("_ModelLimitOptional", {
    "layer": str,
    "max_tokens": int,
    "max_turns": int,
}, total=False)


class ModelLimit(_ModelLimitRequired, _ModelLimitOptional):
    pass


ModelProvider = Literal["anthropic", "openai", "gemini", "openai_compatible"]


ModelUsage = TypedDict("ModelUsage", {
    "days": "list[ModelUsageDay]",
})


ModelUsageBucket = TypedDict("ModelUsageBucket", {
    "start": str,
    "turns": int,
    "input_tokens": int,
    "cached_tokens": int,
    "output_tokens": int,
    "tool_calls": int,
    "blocked": int,
    "ungoverned": int,
})


ModelUsageDay = TypedDict("ModelUsageDay", {
    "date": str,
    "model": str,
    "turns": int,
    "input_tokens": int,
    "cached_tokens": int,
    "output_tokens": int,
    "tool_calls": int,
    "blocked": int,
    "ungoverned": int,
})


ModelUsageInterval = Literal["hour", "day"]


NewAgent = TypedDict("NewAgent", {
    "agent_id": str,
    "name": str,
    "description": Union[str, None],
    "visibility": "Visibility",
    "provider": Union[str, None],
    "model": Union[str, None],
    "metadata": dict[str, Any],
    "card": Any,
    "agent_hash": str,
    "org_id": str,
}, total=False)


__NewAgentTrace_decision_alternatives_consideredRequired = TypedDict("__NewAgentTrace_decision_alternatives_consideredRequired", {
    "option_id": str,
    "description": str,
})


__NewAgentTrace_decision_alternatives_consideredOptional = TypedDict("__NewAgentTrace_decision_alternatives_consideredOptional", {
    "score": float,
    "scoring_factors": dict[str, Any],
    "flags": list[str],
}, total=False)


class _NewAgentTrace_decision_alternatives_considered(__NewAgentTrace_decision_alternatives_consideredRequired, __NewAgentTrace_decision_alternatives_consideredOptional):
    pass


__NewAgentTrace_decisionRequired = TypedDict("__NewAgentTrace_decisionRequired", {
    "selected": str,
    "selection_reasoning": str,
    "values_applied": list[str],
})


__NewAgentTrace_decisionOptional = TypedDict("__NewAgentTrace_decisionOptional", {
    "alternatives_considered": "list[_NewAgentTrace_decision_alternatives_considered]",
    "confidence": float,
}, total=False)


class _NewAgentTrace_decision(__NewAgentTrace_decisionRequired, __NewAgentTrace_decisionOptional):
    pass


_NewAgentTrace_context = TypedDict("_NewAgentTrace_context", {
    "session_id": str,
    "conversation_turn": float,
    "prior_trace_ids": list[str],
    "environment": dict[str, Any],
    "metadata": dict[str, Any],
}, total=False)


_NewAgentTraceRequired = TypedDict("_NewAgentTraceRequired", {
    "action": "TraceAction",
    "decision": "_NewAgentTrace_decision",
})


_NewAgentTraceOptional = TypedDict("_NewAgentTraceOptional", {
    "agent_id": str,
    "trace_id": str,
    "card_id": str,
    "timestamp": str,
    "escalation": "TraceEscalation",
    "context": "_NewAgentTrace_context",
    "tools": list[str],
    "decision_id": str,
}, total=False)


class NewAgentTrace(_NewAgentTraceRequired, _NewAgentTraceOptional):
    pass


NewAnchor = TypedDict("NewAnchor", {
    "merkle_root": str,
    "leaf_count": int,
    "tree_depth": int,
})


NewApiKey = TypedDict("NewApiKey", {
    "name": str,
    "role": "ApiKeyRole",
    "scopes": "list[Scope]",
    "expires_in_days": Union[int, None],
    "client": "ApiKeyClient",
    "mode": "ApiKeyMode",
    "agent_id": str,
    "allowed_ips": list[str],
    "org_id": str,
}, total=False)


NewCheckpoint = TypedDict("NewCheckpoint", {
    "agent_id": str,
    "thinking": str,
    "output": str,
    "checkpoint_id": str,
    "session_id": str,
    "timestamp": str,
    "provider": str,
    "model": str,
    "extraction_method": "ExtractionMethod",
    "actions": list[str],
    "context": dict[str, Any],
    "task_context": str,
    "trace_id": str,
    "decision_ids": list[str],
    "dry_run": bool,
}, total=False)


NewCheckpointBatch = TypedDict("NewCheckpointBatch", {
    "checkpoints": list[Any],
})


_NewConscienceValueRequired = TypedDict("_NewConscienceValueRequired", {
    "name": str,
    "description": str,
    "type": "ConscienceType",
})


_NewConscienceValueOptional = TypedDict("_NewConscienceValueOptional", {
    "severity": "ConscienceSeverity",
}, total=False)


class NewConscienceValue(_NewConscienceValueRequired, _NewConscienceValueOptional):
    pass


_NewInvitationRequired = TypedDict("_NewInvitationRequired", {
    "email": str,
})


_NewInvitationOptional = TypedDict("_NewInvitationOptional", {
    "role": "InvitedRole",
}, total=False)


class NewInvitation(_NewInvitationRequired, _NewInvitationOptional):
    pass


_NewModelConnection_credential_1 = TypedDict("_NewModelConnection_credential_1", {
    "sealed": str,
})


_NewModelConnectionRequired = TypedDict("_NewModelConnectionRequired", {
    "provider": "ModelProvider",
})


_NewModelConnectionOptional = TypedDict("_NewModelConnectionOptional", {
    "upstream_url": str,
    "credential": Union[Literal["pass_through"], "_NewModelConnection_credential_1"],
    "on_contained": "OnContained",
    "on_error": "OnGatewayError",
    "mode": "ConnectionMode",
    "name": str,
}, total=False)


class NewModelConnection(_NewModelConnectionRequired, _NewModelConnectionOptional):
    pass


_NewOrgRequired = TypedDict("_NewOrgRequired", {
    "name": str,
    "slug": str,
})


_NewOrgOptional = TypedDict("_NewOrgOptional", {
    "billing_email": Union[str, None],
    "company_name": Union[str, None],
}, total=False)


class NewOrg(_NewOrgRequired, _NewOrgOptional):
    pass


NewOrgApiKey = TypedDict("NewOrgApiKey", {
    "name": str,
    "role": "ApiKeyRole",
    "scopes": "list[Scope]",
    "expires_in_days": Union[int, None],
    "client": "ApiKeyClient",
    "mode": "ApiKeyMode",
    "agent_id": str,
    "allowed_ips": list[str],
}, total=False)


_NewReclassificationRequired = TypedDict("_NewReclassificationRequired", {
    "checkpoint_id": str,
    "reason": str,
})


_NewReclassificationOptional = TypedDict("_NewReclassificationOptional", {
    "card_amendment_id": Union[str, None],
    "new_type": "ReclassifiedType",
}, total=False)


class NewReclassification(_NewReclassificationRequired, _NewReclassificationOptional):
    pass


_NewTeamRequired = TypedDict("_NewTeamRequired", {
    "org_id": str,
    "agent_ids": list[str],
    "name": str,
})


_NewTeamOptional = TypedDict("_NewTeamOptional", {
    "description": Union[str, None],
    "metadata": dict[str, Any],
    "visibility": "Visibility",
}, total=False)


class NewTeam(_NewTeamRequired, _NewTeamOptional):
    pass


NewTeamMembers = TypedDict("NewTeamMembers", {
    "agent_ids": list[str],
})


__NewTrace_decision_alternatives_consideredRequired = TypedDict("__NewTrace_decision_alternatives_consideredRequired", {
    "option_id": str,
    "description": str,
})


__NewTrace_decision_alternatives_consideredOptional = TypedDict("__NewTrace_decision_alternatives_consideredOptional", {
    "score": float,
    "scoring_factors": dict[str, Any],
    "flags": list[str],
}, total=False)


class _NewTrace_decision_alternatives_considered(__NewTrace_decision_alternatives_consideredRequired, __NewTrace_decision_alternatives_consideredOptional):
    pass


__NewTrace_decisionRequired = TypedDict("__NewTrace_decisionRequired", {
    "selected": str,
    "selection_reasoning": str,
    "values_applied": list[str],
})


__NewTrace_decisionOptional = TypedDict("__NewTrace_decisionOptional", {
    "alternatives_considered": "list[_NewTrace_decision_alternatives_considered]",
    "confidence": float,
}, total=False)


class _NewTrace_decision(__NewTrace_decisionRequired, __NewTrace_decisionOptional):
    pass


_NewTrace_context = TypedDict("_NewTrace_context", {
    "session_id": str,
    "conversation_turn": float,
    "prior_trace_ids": list[str],
    "environment": dict[str, Any],
    "metadata": dict[str, Any],
}, total=False)


_NewTraceRequired = TypedDict("_NewTraceRequired", {
    "agent_id": str,
    "action": "TraceAction",
    "decision": "_NewTrace_decision",
})


_NewTraceOptional = TypedDict("_NewTraceOptional", {
    "trace_id": str,
    "card_id": str,
    "timestamp": str,
    "escalation": "TraceEscalation",
    "context": "_NewTrace_context",
    "tools": list[str],
    "decision_id": str,
}, total=False)


class NewTrace(_NewTraceRequired, _NewTraceOptional):
    pass


NewTraceBatch = TypedDict("NewTraceBatch", {
    "traces": list[Any],
})


_NewTransactionRequired = TypedDict("_NewTransactionRequired", {
    "agent_id": str,
    "description": str,
    "action_type": "TransactionActionType",
    "tools": list[str],
})


_NewTransactionOptional = TypedDict("_NewTransactionOptional", {
    "duration_hours": float,
    "team_id": str,
    "policy": Any,
}, total=False)


class NewTransaction(_NewTransactionRequired, _NewTransactionOptional):
    pass


_NewTrustEdgeRequired = TypedDict("_NewTrustEdgeRequired", {
    "target_agent_id": str,
})


_NewTrustEdgeOptional = TypedDict("_NewTrustEdgeOptional", {
    "trust_level": "TrustLevel",
    "reason": Union[str, None],
}, total=False)


class NewTrustEdge(_NewTrustEdgeRequired, _NewTrustEdgeOptional):
    pass


NewViolationComment = TypedDict("NewViolationComment", {
    "text": str,
})


_NewWebhookRequired = TypedDict("_NewWebhookRequired", {
    "url": str,
})


_NewWebhookOptional = TypedDict("_NewWebhookOptional", {
    "description": Union[str, None],
    "event_types": "list[EventSubscription]",
}, total=False)


class NewWebhook(_NewWebhookRequired, _NewWebhookOptional):
    pass


_NormalizedPolicyRequired = TypedDict("_NormalizedPolicyRequired", {
    "meta": "PolicyMeta",
    "capability_mappings": "dict[str, CapabilityMapping]",
    "forbidden": "list[ForbiddenRule]",
    "escalation_triggers": "list[EscalationTrigger]",
    "defaults": "PolicyDefaults",
})


_NormalizedPolicyOptional = TypedDict("_NormalizedPolicyOptional", {
    "limits": "list[PolicyLimit]",
    "flows": "list[PolicyFlow]",
    "model_limits": "list[ModelLimit]",
}, total=False)


class NormalizedPolicy(_NormalizedPolicyRequired, _NormalizedPolicyOptional):
    pass


Nudge = TypedDict("Nudge", {
    "nudge_id": str,
    "agent_id": str,
    "session_id": str,
    "checkpoint_id": str,
    "message": str,
    "status": Literal["delivered"],
    "created_at": str,
    "delivered_at": str,
})


NudgeStrategy = Literal["always", "sampling", "threshold", "off"]


OidcConfiguration = TypedDict("OidcConfiguration", {
    "configured": Literal[True],
    "org_id": str,
    "idp_name": Union[str, None],
    "default_role": "JoiningRole",
    "role_mapping": "list[SsoRoleMapping]",
    "groups_claim": str,
    "allowed_domains": list[str],
    "enforced": bool,
    "created_at": str,
    "updated_at": str,
    "protocol": Literal["oidc"],
    "issuer": str,
    "client_id": str,
    "has_client_secret": bool,
    "scopes": list[str],
    "redirect_uri": str,
})


OnChainAnchor = TypedDict("OnChainAnchor", {
    "anchor_id": str,
    "merkle_root": str,
    "block_number": int,
    "anchored_at": str,
})


_OnChainHistoryRequired = TypedDict("_OnChainHistoryRequired", {
    "anchors": "list[AnchorSummary]",
    "publications": "list[ScorePublicationSummary]",
    "page": int,
    "per_page": int,
    "total_anchors": int,
    "total_publications": int,
})


_OnChainHistoryOptional = TypedDict("_OnChainHistoryOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class OnChainHistory(_OnChainHistoryRequired, _OnChainHistoryOptional):
    pass


OnChainScore = TypedDict("OnChainScore", {
    "score": int,
    "grade": str,
    "assurance": Union[int, None],
    "block_number": int,
    "published_at": str,
})


OnChainStatus = TypedDict("OnChainStatus", {
    "agent_id": str,
    "has_on_chain_score": bool,
    "latest_score": "Union[OnChainScore, None]",
    "latest_anchor": "Union[OnChainAnchor, None]",
    "last_updated": Union[str, None],
})


OnContained = Literal["refuse", "turn"]


OnGatewayError = Literal["fail_closed", "fail_open"]


OpenIdConfiguration = TypedDict("OpenIdConfiguration", {
    "issuer": str,
    "jwks_uri": str,
    "response_types_supported": list[str],
    "subject_types_supported": list[str],
    "id_token_signing_alg_values_supported": list[str],
    "claims_supported": list[str],
})


Org = TypedDict("Org", {
    "org_id": str,
    "name": str,
    "slug": str,
    "billing_account_id": str,
    "owner_user_id": str,
    "billing_email": Union[str, None],
    "company_name": Union[str, None],
    "require_second_factor": bool,
    "member_count": int,
    "role": "Union[Role, None]",
    "created_at": str,
    "updated_at": str,
})


OrgChanges = TypedDict("OrgChanges", {
    "name": str,
    "slug": str,
    "billing_email": Union[str, None],
    "company_name": Union[str, None],
    "require_second_factor": bool,
}, total=False)


OrgList = TypedDict("OrgList", {
    "orgs": "list[Org]",
})


OrgModelUsage = TypedDict("OrgModelUsage", {
    "interval": "ModelUsageInterval",
    "buckets": "list[ModelUsageBucket]",
})


_OrgPlan_limits_included = TypedDict("_OrgPlan_limits_included", {
    "checks": Union[int, None],
    "team_reputation": Union[int, None],
    "risk_assessment": Union[int, None],
    "team_risk_assessment": Union[int, None],
})


_OrgPlan_limits = TypedDict("_OrgPlan_limits", {
    "requests_per_second": Union[int, None],
    "trace_retention_days": Union[int, None],
    "included": "_OrgPlan_limits_included",
})


_OrgPlan_usage = TypedDict("_OrgPlan_usage", {
    "checks": "MeterUsage",
    "team_reputation": "MeterUsage",
    "risk_assessment": "MeterUsage",
    "team_risk_assessment": "MeterUsage",
})


OrgPlan = TypedDict("OrgPlan", {
    "org_id": str,
    "billing_account_id": str,
    "plan_id": "PlanId",
    "status": "PlanStatus",
    "cancel_at_period_end": bool,
    "features": "list[PlanFeature]",
    "limits": "_OrgPlan_limits",
    "metered": "list[Meter]",
    "period_start": str,
    "period_end": str,
    "usage": "_OrgPlan_usage",
})


OrgSetup = TypedDict("OrgSetup", {
    "agent": bool,
    "decision": bool,
    "policy": bool,
    "colleague": bool,
    "webhook": bool,
})


OtlpLogExport = TypedDict("OtlpLogExport", {
    "resourceLogs": list[Any],
}, total=False)


OtlpLogExportResult = TypedDict("OtlpLogExportResult", {
    "partialSuccess": "OtlpLogPartialSuccess",
}, total=False)


OtlpLogPartialSuccess = TypedDict("OtlpLogPartialSuccess", {
    "rejectedLogRecords": str,
    "errorMessage": str,
})


OtlpPartialSuccess = TypedDict("OtlpPartialSuccess", {
    "rejectedSpans": str,
    "errorMessage": str,
})


OtlpTraceExport = TypedDict("OtlpTraceExport", {
    "resourceSpans": list[Any],
}, total=False)


OtlpTraceExportResult = TypedDict("OtlpTraceExportResult", {
    "partialSuccess": "OtlpPartialSuccess",
}, total=False)


_OutcomeReportRequired = TypedDict("_OutcomeReportRequired", {
    "status": "CallOutcomeStatus",
})


_OutcomeReportOptional = TypedDict("_OutcomeReportOptional", {
    "duration_ms": float,
    "error": str,
    "result_hash": str,
}, total=False)


class OutcomeReport(_OutcomeReportRequired, _OutcomeReportOptional):
    pass


OutcomeReports = TypedDict("OutcomeReports", {
    "outcomes": "list[DecisionOutcomeReport]",
})


OutcomeResult = TypedDict("OutcomeResult", {
    "decision_id": str,
    "status": "OutcomeResultStatus",
})


OutcomeResultStatus = Literal["stored", "duplicate", "conflict", "not_found"]


OutcomeResults = TypedDict("OutcomeResults", {
    "results": "list[OutcomeResult]",
})


PasswordChange = TypedDict("PasswordChange", {
    "current_password": str,
    "new_password": str,
})


PasswordResetAcceptance = TypedDict("PasswordResetAcceptance", {
    "accepted": Literal[True],
})


PasswordResetConfirmation = TypedDict("PasswordResetConfirmation", {
    "token": str,
    "new_password": str,
})


PasswordResetRequest = TypedDict("PasswordResetRequest", {
    "email": str,
})


_Plan_limits = TypedDict("_Plan_limits", {
    "requests_per_second": Union[int, None],
    "trace_retention_days": Union[int, None],
})


_Plan_included = TypedDict("_Plan_included", {
    "checks": Union[int, None],
    "team_reputation": Union[int, None],
    "risk_assessment": Union[int, None],
    "team_risk_assessment": Union[int, None],
})


_Plan_prices = TypedDict("_Plan_prices", {
    "checks": Union[float, None],
    "team_reputation": Union[float, None],
    "risk_assessment": Union[float, None],
    "team_risk_assessment": Union[float, None],
})


Plan = TypedDict("Plan", {
    "plan_id": "PlanId",
    "display_name": str,
    "features": "list[PlanFeature]",
    "limits": "_Plan_limits",
    "included": "_Plan_included",
    "metered": "list[Meter]",
    "prices": "_Plan_prices",
})


_PlanChange_limits_included = TypedDict("_PlanChange_limits_included", {
    "checks": Union[int, None],
    "team_reputation": Union[int, None],
    "risk_assessment": Union[int, None],
    "team_risk_assessment": Union[int, None],
}, total=False)


_PlanChange_limits = TypedDict("_PlanChange_limits", {
    "requests_per_second": Union[int, None],
    "included": "_PlanChange_limits_included",
}, total=False)


_PlanChangeRequired = TypedDict("_PlanChangeRequired", {
    "plan_id": "PlanId",
})


_PlanChangeOptional = TypedDict("_PlanChangeOptional", {
    "status": "PlanStatus",
    "limits": "_PlanChange_limits",
    "cancel_at_period_end": bool,
}, total=False)


class PlanChange(_PlanChangeRequired, _PlanChangeOptional):
    pass


PlanFeature = Literal["risk_assessment", "team_risk_assessment", "zk_proofs", "team_reputation", "intelligence", "pairwise_coherence", "webhooks", "custom_conscience_values", "org_card_template", "nway_coherence", "sso"]


PlanId = Literal["plan-free", "plan-developer", "plan-team", "plan-enterprise"]


PlanList = TypedDict("PlanList", {
    "plans": "list[Plan]",
})


PlanStatus = Literal["trialing", "active", "past_due", "canceled"]


_PolicyRequired = TypedDict("_PolicyRequired", {
    "id": str,
    "version": int,
    "meta": "PolicyMeta",
    "capability_mappings": "dict[str, CapabilityMapping]",
    "forbidden": "list[ForbiddenRule]",
    "escalation_triggers": "list[EscalationTrigger]",
    "defaults": "PolicyDefaults",
    "created_at": str,
    "updated_at": str,
})


_PolicyOptional = TypedDict("_PolicyOptional", {
    "limits": "list[PolicyLimit]",
    "flows": "list[PolicyFlow]",
    "model_limits": "list[ModelLimit]",
}, total=False)


class Policy(_PolicyRequired, _PolicyOptional):
    pass


PolicyDefaults = TypedDict("PolicyDefaults", {
    "unmapped_tool_action": str,
    "unmapped_severity": str,
    "fail_open": bool,
    "enforcement_mode": str,
    "grace_period_hours": float,
    "approval": "ApprovalBlock",
    "max_identical_calls": Union[int, None],
    "changed_tool_action": str,
}, total=False)


PolicyDocument = Any


PolicyEvaluation = TypedDict("PolicyEvaluation", {
    "verdict": "PolicyVerdict",
    "violations": "list[PolicyViolation]",
    "warnings": "list[PolicyWarning]",
    "card_gaps": "list[CardGap]",
    "coverage": "CardCoverage",
    "policy_id": Union[str, None],
    "policy_version": Union[int, None],
    "evaluated_at": str,
    "context": "EvaluationContext",
    "duration_ms": float,
    "enforcement_mode": "PolicyMode",
    "transaction_id": Union[str, None],
    "violation_count": int,
    "warning_count": int,
    "evaluation_id": Union[str, None],
})


_PolicyEvaluationPageRequired = TypedDict("_PolicyEvaluationPageRequired", {
    "evaluations": "list[RecordedPolicyEvaluation]",
    "total": int,
    "page": int,
    "per_page": int,
})


_PolicyEvaluationPageOptional = TypedDict("_PolicyEvaluationPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class PolicyEvaluationPage(_PolicyEvaluationPageRequired, _PolicyEvaluationPageOptional):
    pass


_PolicyEvaluationRequestRequired = TypedDict("_PolicyEvaluationRequestRequired", {
    "agent_id": str,
    "tools": list[str],
})


_PolicyEvaluationRequestOptional = TypedDict("_PolicyEvaluationRequestOptional", {
    "context": "EvaluationContext",
    "transaction_id": str,
    "policy": Any,
}, total=False)


class PolicyEvaluationRequest(_PolicyEvaluationRequestRequired, _PolicyEvaluationRequestOptional):
    pass


_PolicyFlowRequired = TypedDict("_PolicyFlowRequired", {
    "name": str,
    "action": str,
    "reason": str,
    "from": list[str],
    "to": list[str],
})


_PolicyFlowOptional = TypedDict("_PolicyFlowOptional", {
    "approval": "ApprovalBlock",
    "layer": str,
}, total=False)


class PolicyFlow(_PolicyFlowRequired, _PolicyFlowOptional):
    pass


_PolicyImpact_counterexample = TypedDict("_PolicyImpact_counterexample", {
    "newly_blocked": Union[str, None],
    "newly_allowed": Union[str, None],
})


PolicyImpact = TypedDict("PolicyImpact", {
    "org_id": str,
    "agent_id": Union[str, None],
    "days": int,
    "from": str,
    "to": str,
    "relation": "Union[PolicyRelation, None]",
    "relation_reason": Union[str, None],
    "counterexample": "_PolicyImpact_counterexample",
    "unweighed": list[str],
    "may_loosen": list[str],
    "traces_evaluated": int,
    "truncated": bool,
    "newly_failing": int,
    "newly_passing": int,
    "unchanged": int,
    "tools": "list[ToolImpact]",
    "tools_total": int,
    "agents": "list[AgentImpact]",
    "agents_total": int,
})


_PolicyImpactRequestRequired = TypedDict("_PolicyImpactRequestRequired", {
    "policy": Any,
})


_PolicyImpactRequestOptional = TypedDict("_PolicyImpactRequestOptional", {
    "agent_id": str,
    "days": int,
}, total=False)


class PolicyImpactRequest(_PolicyImpactRequestRequired, _PolicyImpactRequestOptional):
    pass


_PolicyLearnRequestRequired = TypedDict("_PolicyLearnRequestRequired", {
    "agent_id": str,
})


_PolicyLearnRequestOptional = TypedDict("_PolicyLearnRequestOptional", {
    "days": int,
    "to": str,
}, total=False)


class PolicyLearnRequest(_PolicyLearnRequestRequired, _PolicyLearnRequestOptional):
    pass


_PolicyLimitRequired = TypedDict("_PolicyLimitRequired", {
    "name": str,
    "action": str,
    "reason": str,
    "tools": list[str],
    "max": int,
    "per": str,
})


_PolicyLimitOptional = TypedDict("_PolicyLimitOptional", {
    "approval": "ApprovalBlock",
    "layer": str,
}, total=False)


class PolicyLimit(_PolicyLimitRequired, _PolicyLimitOptional):
    pass


_PolicyMetaRequired = TypedDict("_PolicyMetaRequired", {
    "schema_version": str,
    "name": str,
    "scope": str,
})


_PolicyMetaOptional = TypedDict("_PolicyMetaOptional", {
    "description": str,
}, total=False)


class PolicyMeta(_PolicyMetaRequired, _PolicyMetaOptional):
    pass


PolicyMode = Literal["off", "warn", "enforce"]


_PolicyRecommendation_forecast_summary = TypedDict("_PolicyRecommendation_forecast_summary", {
    "risk_reduction": str,
    "fault_lines_resolved": int,
})


_PolicyRecommendation_validation = TypedDict("_PolicyRecommendation_validation", {
    "valid": bool,
    "errors": list[str],
})


_PolicyRecommendationRequired = TypedDict("_PolicyRecommendationRequired", {
    "recommendation_id": str,
    "policy": dict[str, Any],
    "reasoning_chain": "list[ReasoningStep]",
    "confidence": float,
    "forecast_summary": "_PolicyRecommendation_forecast_summary",
    "useful": bool,
    "validation": "_PolicyRecommendation_validation",
    "created_at": str,
    "produced_by": "IntelligenceProducer",
})


_PolicyRecommendationOptional = TypedDict("_PolicyRecommendationOptional", {
    "fallback_reason": "FallbackReason",
}, total=False)


class PolicyRecommendation(_PolicyRecommendationRequired, _PolicyRecommendationOptional):
    pass


PolicyRelation = Literal["equal", "stricter", "looser", "incomparable"]


PolicyValidation = TypedDict("PolicyValidation", {
    "valid": bool,
    "errors": "list[ValidationFinding]",
    "warnings": "list[ValidationFinding]",
    "normalized": "Union[NormalizedPolicy, None]",
})


PolicyVerdict = Literal["pass", "warn", "fail"]


PolicyVersion = TypedDict("PolicyVersion", {
    "version": int,
    "id": str,
    "meta": "Union[PolicyMeta, None]",
    "updated_at": str,
    "updated_by": str,
    "deleted": bool,
})


_PolicyVersionPageRequired = TypedDict("_PolicyVersionPageRequired", {
    "versions": "list[PolicyVersion]",
    "total": int,
    "page": int,
    "per_page": int,
})


_PolicyVersionPageOptional = TypedDict("_PolicyVersionPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class PolicyVersionPage(_PolicyVersionPageRequired, _PolicyVersionPageOptional):
    pass


_PolicyViolationRequired = TypedDict("_PolicyViolationRequired", {
    "type": Literal["forbidden", "unmapped", "escalation", "limit", "flow", "loop", "tool_changed"],
    "tool": str,
    "reason": str,
    "severity": "Severity",
    "blocking": bool,
    "rule": str,
})


_PolicyViolationOptional = TypedDict("_PolicyViolationOptional", {
    "capability": str,
    "action": Literal["escalate", "deny"],
}, total=False)


class PolicyViolation(_PolicyViolationRequired, _PolicyViolationOptional):
    pass


_PolicyWarningRequired = TypedDict("_PolicyWarningRequired", {
    "type": Literal["unmapped_tool", "grace_period", "escalation_triggered", "limit", "tool_changed"],
    "tool": str,
    "reason": str,
})


_PolicyWarningOptional = TypedDict("_PolicyWarningOptional", {
    "expires_at": str,
}, total=False)


class PolicyWarning(_PolicyWarningRequired, _PolicyWarningOptional):
    pass


_ProblemRequired = TypedDict("_ProblemRequired", {
    "error": str,
    "message": str,
})


_ProblemOptional = TypedDict("_ProblemOptional", {
    "details": "list[ProblemDetail]",
}, total=False)


class Problem(_ProblemRequired, _ProblemOptional):
    pass


ProblemDetail = TypedDict("ProblemDetail", {
    "path": str,
    "code": str,
    "message": str,
}, total=False)


Profile = TypedDict("Profile", {
    "user_id": str,
    "email": Union[str, None],
    "name": Union[str, None],
    "is_platform_admin": bool,
    "second_factor": bool,
    "orgs": "list[Membership]",
})


Proof = TypedDict("Proof", {
    "proof_id": str,
    "status": "ProofStatus",
    "assessment_id": str,
    "assessment_kind": Literal["individual"],
    "attempts": int,
    "error": Union[str, None],
    "receipt": "Union[ProofReceipt, None]",
    "created_at": str,
    "started_at": Union[str, None],
    "verified_at": Union[str, None],
})


ProofJournal = TypedDict("ProofJournal", {
    "v": int,
    "kind": str,
    "formula": str,
    "assessment_id": str,
    "inputs_commitment": str,
    "witness_commitment": str,
    "as_of": str,
    "score_e4": int,
    "level": "RiskLevel",
    "recommendation": "RiskRecommendation",
    "circuit_breakers": "list[RiskBreaker]",
})


ProofProgram = TypedDict("ProofProgram", {
    "formula": str,
    "system": str,
    "system_version": str,
    "program_id": str,
    "active": bool,
})


ProofPrograms = TypedDict("ProofPrograms", {
    "programs": "list[ProofProgram]",
})


ProofReceipt = TypedDict("ProofReceipt", {
    "proof_type": str,
    "system": str,
    "system_version": str,
    "security_bits": int,
    "audited": bool,
    "program_id": str,
    "formula": str,
    "journal": str,
    "proof": Union[str, None],
    "proof_url": Union[str, None],
    "proof_sha256": str,
    "proof_bytes": int,
    "proving_ms": int,
    "signature": "ProofReceiptSignature",
})


ProofReceiptSignature = TypedDict("ProofReceiptSignature", {
    "algorithm": str,
    "key_id": str,
    "value": str,
})


ProofStatus = Literal["pending", "proving", "verified", "failed"]


ProofToVerify = TypedDict("ProofToVerify", {
    "receipt": "ReceiptToVerify",
})


_ProofVerification_checks = TypedDict("_ProofVerification_checks", {
    "program_known": bool,
    "proof_valid": bool,
    "journal_well_formed": bool,
    "fields_signed": Union[bool, None],
})


ProofVerification = TypedDict("ProofVerification", {
    "valid": bool,
    "checks": "_ProofVerification_checks",
    "journal": "Union[ProofJournal, None]",
})


ProvenDecision = TypedDict("ProvenDecision", {
    "decision_id": str,
    "org_id": str,
    "agent_id": str,
    "session_id": Union[str, None],
    "call_id": Union[str, None],
    "tool": str,
    "arguments_hash": Union[str, None],
    "decision": "DecisionOutcome",
    "reasons": "list[DecisionReason]",
    "verdict": "Union[PolicyVerdict, None]",
    "enforcement_mode": "Union[PolicyMode, None]",
    "agent_enforcement_mode": "EnforcementMode",
    "policy_id": Union[str, None],
    "policy_version": Union[int, None],
    "transaction_id": Union[str, None],
    "escalation_id": Union[str, None],
    "decided_at": str,
    "duration_ms": float,
    "enforced": bool,
    "source": "DecisionSource",
    "client": Union[str, None],
    "receipt": "DecisionReceipt",
    "outcome": "Union[CallOutcome, None]",
    "log_index": Union[int, None],
    "log": "Union[LogProof, None]",
})


Provenance = Literal["observed", "relayed", "reported", "imported"]


PublishedScoreVerification = TypedDict("PublishedScoreVerification", {
    "agent_id": str,
    "on_chain_score": int,
    "grade": str,
    "metadata_hash": str,
    "metadata": Any,
    "published_at": str,
    "block_number": int,
    "tx_hash": str,
    "verified": bool,
    "assurance": Union[int, None],
})


RatedConfidence = Literal["low", "medium", "high"]


RatedGrade = Literal["AAA", "AA", "A", "BBB", "BB", "B", "CCC"]


_Readiness_checks = TypedDict("_Readiness_checks", {
    "database": "HealthCheck",
    "notices": "HealthCheck",
    "queue": "HealthCheck",
    "chain": "HealthCheck",
    "log": "LogCheck",
})


Readiness = TypedDict("Readiness", {
    "status": Literal["ready", "degraded", "unavailable"],
    "reason": Union[str, None],
    "checks": "_Readiness_checks",
    "decision_durability": str,
})


ReasonCode = TypedDict("ReasonCode", {
    "code": str,
    "component": "ScoreComponentKey",
    "points_lost": float,
    "evidence_ids": list[str],
})


ReasoningStep = TypedDict("ReasoningStep", {
    "step": int,
    "action": str,
    "rationale": str,
    "fault_lines_addressed": list[str],
})


ReceiptToVerify = TypedDict("ReceiptToVerify", {
    "program_id": str,
    "formula": str,
    "journal": str,
    "proof": str,
    "proof_sha256": str,
})


Reclassification = TypedDict("Reclassification", {
    "agent_id": str,
    "reclassification_id": str,
    "checkpoint_id": str,
    "original_type": str,
    "new_type": "ReclassifiedType",
    "reason": str,
    "card_amendment_id": Union[str, None],
    "approved_by": str,
    "created_at": str,
    "score_impact": "ScoreImpact",
})


_ReclassificationPageRequired = TypedDict("_ReclassificationPageRequired", {
    "reclassifications": "list[ReclassificationSummary]",
    "total": int,
    "page": int,
    "per_page": int,
})


_ReclassificationPageOptional = TypedDict("_ReclassificationPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class ReclassificationPage(_ReclassificationPageRequired, _ReclassificationPageOptional):
    pass


ReclassificationSummary = TypedDict("ReclassificationSummary", {
    "reclassification_id": str,
    "checkpoint_id": str,
    "original_type": str,
    "new_type": "ReclassifiedType",
    "reason": str,
    "card_amendment_id": Union[str, None],
    "approved_by": str,
    "created_at": str,
    "score_impact": "ScoreImpact",
})


ReclassifiedType = Literal["card_gap", "behavior_gap"]


ReclassifiedViolations = TypedDict("ReclassifiedViolations", {
    "card_gap": int,
    "of": int,
})


RecommendedAction = Literal["continue", "log_and_continue", "pause_for_review", "deny_and_escalate"]


_RecomputedReputation_propagation = TypedDict("_RecomputedReputation_propagation", {
    "agents_affected": int,
    "max_depth": int,
    "decay_factor": float,
})


RecomputedReputation = TypedDict("RecomputedReputation", {
    "agent_id": str,
    "score_before": Union[float, None],
    "score_after": Union[float, None],
    "grade_before": "Grade",
    "grade_after": "Grade",
    "reclassifications_applied": int,
    "propagation": "_RecomputedReputation_propagation",
    "recomputed_at": str,
})


RecordedPolicyEvaluation = TypedDict("RecordedPolicyEvaluation", {
    "verdict": "PolicyVerdict",
    "violations": "list[PolicyViolation]",
    "warnings": "list[PolicyWarning]",
    "card_gaps": "list[CardGap]",
    "coverage": "CardCoverage",
    "policy_id": Union[str, None],
    "policy_version": Union[int, None],
    "evaluated_at": str,
    "context": "EvaluationContext",
    "duration_ms": float,
    "enforcement_mode": "PolicyMode",
    "transaction_id": Union[str, None],
    "evaluation_id": str,
    "agent_id": str,
    "trace_id": Union[str, None],
    "violation_count": int,
    "warning_count": int,
})


RecoveryCodes = TypedDict("RecoveryCodes", {
    "recovery_codes": list[str],
})


RefreshToken = TypedDict("RefreshToken", {
    "refresh_token": str,
})


_RegisteredAgentRequired = TypedDict("_RegisteredAgentRequired", {
    "agent": "Agent",
    "warnings": list[Any],
})


_RegisteredAgentOptional = TypedDict("_RegisteredAgentOptional", {
    "agent_secret": Union[str, None],
}, total=False)


class RegisteredAgent(_RegisteredAgentRequired, _RegisteredAgentOptional):
    pass


RemovedMember = TypedDict("RemovedMember", {
    "removed": Literal[True],
    "org_id": str,
    "user_id": str,
})


RemovedSso = TypedDict("RemovedSso", {
    "removed": Literal[True],
    "note": str,
})


RemovedTeamMember = TypedDict("RemovedTeamMember", {
    "removed": Literal[True],
    "agent_id": str,
})


ReorderedConscienceValues = TypedDict("ReorderedConscienceValues", {
    "reordered": bool,
    "order": list[str],
})


ReportedOutcome = TypedDict("ReportedOutcome", {
    "decision_id": str,
    "outcome": "CallOutcome",
})


ReputationBatch = TypedDict("ReputationBatch", {
    "scores": "list[ReputationSummary]",
})


ReputationBatchRequest = TypedDict("ReputationBatchRequest", {
    "agent_ids": list[str],
})


ReputationChecked = TypedDict("ReputationChecked", {
    "since_audit": int,
    "unchecked": int,
    "sampled": int,
    "seed": str,
    "audited_at": Union[str, None],
})


ReputationComparison = TypedDict("ReputationComparison", {
    "agents": "list[ComparedReputation]",
})


ReputationHistory = TypedDict("ReputationHistory", {
    "snapshots": "list[ReputationSnapshot]",
})


ReputationProof = TypedDict("ReputationProof", {
    "certificate_hash": Union[str, None],
    "merkle_root": Union[str, None],
    "hash_chain_valid": bool,
    "checkpoint_count": int,
    "latest_checkpoint_id": Union[str, None],
    "latest_checkpoint_at": Union[str, None],
    "proof_generated_at": str,
    "audited_through": Union[int, None],
    "audited_at": Union[str, None],
})


_ReputationScore_recovery_forecast = TypedDict("_ReputationScore_recovery_forecast", {
    "days": int,
    "score": int,
})


ReputationScore = TypedDict("ReputationScore", {
    "agent_id": str,
    "score": Union[float, None],
    "grade": "Grade",
    "tier": str,
    "is_eligible": bool,
    "checkpoint_count": int,
    "confidence": "Confidence",
    "components": "list[ScoreComponent]",
    "computed_at": str,
    "trend_30d": float,
    "visibility": "Visibility",
    "a2a_trust_extension": "TrustExtension",
    "score_interval": "Union[ScoreInterval, None]",
    "conservative_score": Union[int, None],
    "assurance": "Union[Assurance, None]",
    "assured_score": Union[int, None],
    "methodology": str,
    "grade_probability": Union[dict[str, float], None],
    "reason_codes": "Union[list[ReasonCode], None]",
    "recovery_forecast": "Union[list[_ReputationScore_recovery_forecast], None]",
    "reclassified": "ReclassifiedViolations",
})


ReputationSnapshot = TypedDict("ReputationSnapshot", {
    "week_start": str,
    "score": float,
    "grade": "Grade",
    "checkpoint_count": int,
    "components": "ComponentHistory",
    "assurance": Union[int, None],
    "assured_score": Union[int, None],
})


ReputationSummary = TypedDict("ReputationSummary", {
    "agent_id": str,
    "score": Union[int, None],
    "grade": "Grade",
    "tier": str,
    "confidence": "Confidence",
    "trend_30d": int,
    "assurance": Union[int, None],
    "assured_score": Union[int, None],
})


ReputationVerification = TypedDict("ReputationVerification", {
    "agent_id": str,
    "score": float,
    "grade": str,
    "verified": bool,
    "verification": "ReputationProof",
    "checked": "ReputationChecked",
    "full_audit": "Union[FullAudit, None]",
    "computed_at": str,
    "assurance": "Union[Assurance, None]",
    "assured_score": Union[int, None],
    "methodology": str,
})


_ResolvedPolicy_sources = TypedDict("_ResolvedPolicy_sources", {
    "org_policy_version": int,
    "agent_policy_version": int,
    "merge_strategy": str,
})


ResolvedPolicy = TypedDict("ResolvedPolicy", {
    "agent_id": str,
    "org_id": str,
    "resolved_policy": "EffectivePolicy",
    "sources": "_ResolvedPolicy_sources",
    "resolved_at": str,
})


RevokedApiKey = TypedDict("RevokedApiKey", {
    "revoked": Literal[True],
    "key_id": str,
})


RevokedInvitation = TypedDict("RevokedInvitation", {
    "revoked": Literal[True],
    "invitation_id": str,
})


RevokedModelConnection = TypedDict("RevokedModelConnection", {
    "revoked": Literal[True],
    "connection_id": str,
})


RiskActionType = Literal["financial_transaction", "data_access", "task_delegation", "tool_invocation", "autonomous_operation", "multi_agent_coordination"]


__RiskAssessment_contextRequired = TypedDict("__RiskAssessment_contextRequired", {
    "action_type": "RiskActionType",
    "risk_tolerance": "RiskTolerance",
})


__RiskAssessment_contextOptional = TypedDict("__RiskAssessment_contextOptional", {
    "amount": float,
    "counterparty_id": str,
    "use_case": str,
}, total=False)


class _RiskAssessment_context(__RiskAssessment_contextRequired, __RiskAssessment_contextOptional):
    pass


RiskAssessment = TypedDict("RiskAssessment", {
    "assessment_id": Union[str, None],
    "agent_id": str,
    "risk_score": float,
    "risk_level": "RiskLevel",
    "recommendation": "RiskRecommendation",
    "confidence": float,
    "contributing_factors": "list[RiskFactor]",
    "suggested_thresholds": "RiskThresholds",
    "breakdown": "RiskBreakdown",
    "circuit_breakers": "list[RiskBreaker]",
    "context": "_RiskAssessment_context",
    "explanation": str,
    "formula": Literal["risk-v1"],
    "inputs_commitment": Union[str, None],
    "proof_id": Union[str, None],
    "proof_status": "AssessmentProofStatus",
    "created_at": str,
})


RiskAssessmentList = TypedDict("RiskAssessmentList", {
    "assessments": "list[ListedRiskAssessment]",
    "total": int,
    "limit": int,
    "offset": int,
})


__RiskAssessmentRequest_contextRequired = TypedDict("__RiskAssessmentRequest_contextRequired", {
    "action_type": "RiskActionType",
})


__RiskAssessmentRequest_contextOptional = TypedDict("__RiskAssessmentRequest_contextOptional", {
    "risk_tolerance": "RiskTolerance",
    "amount": float,
    "counterparty_id": str,
    "use_case": str,
}, total=False)


class _RiskAssessmentRequest_context(__RiskAssessmentRequest_contextRequired, __RiskAssessmentRequest_contextOptional):
    pass


_RiskAssessmentRequestRequired = TypedDict("_RiskAssessmentRequestRequired", {
    "agent_id": str,
    "context": "_RiskAssessmentRequest_context",
})


_RiskAssessmentRequestOptional = TypedDict("_RiskAssessmentRequestOptional", {
    "prove": bool,
}, total=False)


class RiskAssessmentRequest(_RiskAssessmentRequestRequired, _RiskAssessmentRequestOptional):
    pass


RiskBreakdown = TypedDict("RiskBreakdown", {
    "context": float,
    "recency": float,
    "confidence_penalty": float,
    "base": float,
    "amount_surcharge": float,
    "counterparty_surcharge": float,
})


RiskBreaker = Literal["agent_contained", "reputation_floor", "recent_critical_violation", "insufficient_history", "autonomy_limit", "counterparty_contained", "counterparty_conflict"]


RiskFactor = TypedDict("RiskFactor", {
    "component": "ScoreComponentKey",
    "label": str,
    "weight": float,
    "raw_value": int,
    "risk_contribution": float,
    "explanation": str,
})


RiskHistory = TypedDict("RiskHistory", {
    "agent_id": str,
    "assessments": "list[RiskAssessment]",
    "total": int,
    "limit": int,
    "offset": int,
})


RiskInputs = TypedDict("RiskInputs", {
    "formula": str,
    "inputs": dict[str, Any],
    "inputs_commitment": str,
})


RiskLevel = Literal["low", "medium", "high", "critical"]


RiskRecommendation = Literal["approve", "review", "deny"]


RiskSubject = Literal["agent", "team"]


RiskThresholds = TypedDict("RiskThresholds", {
    "low": float,
    "medium": float,
    "high": float,
    "critical": float,
})


RiskTolerance = Literal["conservative", "moderate", "aggressive"]


Role = Literal["owner", "admin", "auditor", "member"]


RosterChange = TypedDict("RosterChange", {
    "id": str,
    "team_id": str,
    "change_type": "RosterChangeType",
    "agent_id": Union[str, None],
    "actor_id": Union[str, None],
    "created_at": str,
})


_RosterChangePageRequired = TypedDict("_RosterChangePageRequired", {
    "changes": "list[RosterChange]",
    "total": int,
    "page": int,
    "per_page": int,
})


_RosterChangePageOptional = TypedDict("_RosterChangePageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class RosterChangePage(_RosterChangePageRequired, _RosterChangePageOptional):
    pass


RosterChangeType = Literal["agent_added", "agent_removed"]


RpcBatch = list["RpcRequest"]


RpcBatchResponse = list["RpcResponse"]


_RpcErrorRequired = TypedDict("_RpcErrorRequired", {
    "code": int,
    "message": str,
})


_RpcErrorOptional = TypedDict("_RpcErrorOptional", {
    "data": str,
}, total=False)


class RpcError(_RpcErrorRequired, _RpcErrorOptional):
    pass


RpcProblem = TypedDict("RpcProblem", {
    "code": int,
    "message": str,
    "error": str,
})


_RpcRequestRequired = TypedDict("_RpcRequestRequired", {
    "jsonrpc": Literal["2.0"],
    "method": str,
})


_RpcRequestOptional = TypedDict("_RpcRequestOptional", {
    "id": Union[int, str, None],
    "params": list[Any],
}, total=False)


class RpcRequest(_RpcRequestRequired, _RpcRequestOptional):
    pass


_RpcResponseRequired = TypedDict("_RpcResponseRequired", {
    "jsonrpc": Literal["2.0"],
    "id": Union[int, str, None],
})


_RpcResponseOptional = TypedDict("_RpcResponseOptional", {
    "result": Any,
    "error": "RpcError",
}, total=False)


class RpcResponse(_RpcResponseRequired, _RpcResponseOptional):
    pass


SamlConfiguration = TypedDict("SamlConfiguration", {
    "configured": Literal[True],
    "org_id": str,
    "idp_name": Union[str, None],
    "default_role": "JoiningRole",
    "role_mapping": "list[SsoRoleMapping]",
    "groups_claim": str,
    "allowed_domains": list[str],
    "enforced": bool,
    "created_at": str,
    "updated_at": str,
    "protocol": Literal["saml"],
    "metadata_url": str,
    "entity_id": str,
    "sso_url": str,
    "certificate_expires_at": str,
    "acs_url": str,
    "sp_entity_id": str,
})


_SamlResponseFormRequired = TypedDict("_SamlResponseFormRequired", {
    "SAMLResponse": str,
})


_SamlResponseFormOptional = TypedDict("_SamlResponseFormOptional", {
    "RelayState": str,
}, total=False)


class SamlResponseForm(_SamlResponseFormRequired, _SamlResponseFormOptional):
    pass


_SavedCardTemplate_template = TypedDict("_SavedCardTemplate_template", {
    "card_id": str,
    "agent_id": Union[str, None],
    "is_active": bool,
    "card_json": "CardTemplateJson",
    "conscience_values": "list[ConscienceValueContent]",
    "issued_at": str,
})


SavedCardTemplate = TypedDict("SavedCardTemplate", {
    "org_id": str,
    "enabled": bool,
    "template": "_SavedCardTemplate_template",
    "created_by": str,
    "updated_by": str,
    "created_at": str,
    "updated_at": str,
    "warnings": "list[ValidationFinding]",
})


_SavedPolicyRequired = TypedDict("_SavedPolicyRequired", {
    "id": str,
    "version": int,
    "meta": "PolicyMeta",
    "capability_mappings": "dict[str, CapabilityMapping]",
    "forbidden": "list[ForbiddenRule]",
    "escalation_triggers": "list[EscalationTrigger]",
    "defaults": "PolicyDefaults",
    "created_at": str,
    "updated_at": str,
    "warnings": "list[ValidationFinding]",
})


_SavedPolicyOptional = TypedDict("_SavedPolicyOptional", {
    "limits": "list[PolicyLimit]",
    "flows": "list[PolicyFlow]",
    "model_limits": "list[ModelLimit]",
}, total=False)


class SavedPolicy(_SavedPolicyRequired, _SavedPolicyOptional):
    pass


SavedTeamCard = TypedDict("SavedTeamCard", {
    "card_id": str,
    "team_id": str,
    "version": int,
    "card_source": "TeamCardSource",
    "issued_at": str,
})


ScittProof = TypedDict("ScittProof", {
    "statement": str,
    "receipt": str,
})


Scope = Literal["read", "ingest", "write", "onchain", "decide", "approve"]


ScoreComponent = TypedDict("ScoreComponent", {
    "key": "ScoreComponentKey",
    "label": str,
    "score": Union[float, None],
    "weight": float,
    "weighted_score": Union[float, None],
    "factors": list[str],
    "basis": Union[Literal["measured", "default"], None],
    "n": Union[int, None],
})


ScoreComponentKey = Literal["integrity_ratio", "compliance", "drift_stability", "trace_completeness", "coherence_compatibility"]


ScoreImpact = TypedDict("ScoreImpact", {
    "score_before": Union[float, None],
    "score_after": Union[float, None],
    "recomputation_pending": bool,
})


ScoreInterval = TypedDict("ScoreInterval", {
    "level": float,
    "low": int,
    "high": int,
})


ScorePublication = TypedDict("ScorePublication", {
    "publication_id": str,
    "tx_hash": str,
    "block_number": int,
    "gas_used": int,
    "agent_count": int,
    "published_at": str,
})


ScorePublicationRequest = TypedDict("ScorePublicationRequest", {
    "publications": "list[ScoreToPublish]",
})


ScorePublicationSummary = TypedDict("ScorePublicationSummary", {
    "publication_id": str,
    "agent_count": int,
    "tx_hash": str,
    "block_number": int,
    "published_at": str,
})


ScoreToPublish = TypedDict("ScoreToPublish", {
    "agent_id": str,
    "score": float,
    "grade": "RatedGrade",
})


SecondFactor = TypedDict("SecondFactor", {
    "enabled": bool,
    "confirmed_at": Union[str, None],
    "recovery_codes_left": int,
})


SecondFactorChallenge = TypedDict("SecondFactorChallenge", {
    "mfa_required": Literal[True],
    "challenge_token": str,
    "expires_in": int,
})


SecondFactorConfirmation = TypedDict("SecondFactorConfirmation", {
    "code": str,
})


SecondFactorEnrolment = TypedDict("SecondFactorEnrolment", {
    "current_password": str,
})


SecondFactorProof = TypedDict("SecondFactorProof", {
    "current_password": str,
    "code": str,
})


Session = TypedDict("Session", {
    "session_id": str,
    "checkpoint_count": int,
    "analyzed_count": int,
    "verdicts": "VerdictCounts",
    "stable": bool,
    "started_at": str,
    "last_at": str,
})


_SessionPageRequired = TypedDict("_SessionPageRequired", {
    "sessions": "list[Session]",
    "total": int,
    "page": int,
    "per_page": int,
})


_SessionPageOptional = TypedDict("_SessionPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class SessionPage(_SessionPageRequired, _SessionPageOptional):
    pass


Severity = Literal["low", "medium", "high", "critical"]


ShapleyMethod = TypedDict("ShapleyMethod", {
    "method": Literal["exact", "sampled"],
    "permutations": int,
    "std_error": float,
})


SignIn = TypedDict("SignIn", {
    "email": str,
    "password": str,
})


SignInCode = TypedDict("SignInCode", {
    "challenge_token": str,
    "code": str,
})


SignInSession = TypedDict("SignInSession", {
    "session_id": str,
    "user_agent": Union[str, None],
    "address": Union[str, None],
    "created_at": str,
    "last_used_at": str,
    "expires_at": str,
    "current": bool,
})


SignInSessionList = TypedDict("SignInSessionList", {
    "sessions": "list[SignInSession]",
})


_SignUpRequired = TypedDict("_SignUpRequired", {
    "email": str,
    "password": str,
})


_SignUpOptional = TypedDict("_SignUpOptional", {
    "name": Union[str, None],
    "invitation_token": Union[str, None],
}, total=False)


class SignUp(_SignUpRequired, _SignUpOptional):
    pass


SigningKey = TypedDict("SigningKey", {
    "kty": Literal["OKP"],
    "crv": Literal["Ed25519"],
    "x": str,
    "kid": str,
    "use": Literal["sig", "log"],
    "alg": Literal["EdDSA"],
    "key_id": str,
    "algorithm": Literal["Ed25519"],
    "public_key": str,
    "whpk": str,
    "created_at": str,
    "is_active": bool,
})


SigningKeySet = TypedDict("SigningKeySet", {
    "keys": "list[SigningKey]",
})


SimulatedScore = TypedDict("SimulatedScore", {
    "score": Union[float, None],
    "grade": "Grade",
    "tier": str,
    "is_eligible": bool,
    "checkpoint_count": int,
    "confidence": str,
    "components": "list[ScoreComponent]",
})


Simulation = TypedDict("Simulation", {
    "agent_id": str,
    "current": "SimulatedScore",
    "predicted": "SimulatedScore",
})


SimulationRequest = TypedDict("SimulationRequest", {
    "add_clear": int,
    "add_review_needed": int,
    "add_boundary_violations": int,
    "add_traces": int,
    "card_gap_ids": list[str],
    "advance_days": int,
}, total=False)


SsoCode = TypedDict("SsoCode", {
    "code": str,
})


SsoConfiguration = Union["SamlConfiguration", "OidcConfiguration"]


SsoDomain = TypedDict("SsoDomain", {
    "sso": bool,
    "org_id": Union[str, None],
    "login_url": Union[str, None],
    "enforced": bool,
})


SsoNotConfigured = TypedDict("SsoNotConfigured", {
    "configured": Literal[False],
})


SsoProtocol = Literal["saml", "oidc"]


SsoRoleMapping = TypedDict("SsoRoleMapping", {
    "group": str,
    "role": "JoiningRole",
})


_SsoSettingsRequired = TypedDict("_SsoSettingsRequired", {
    "allowed_domains": list[str],
})


_SsoSettingsOptional = TypedDict("_SsoSettingsOptional", {
    "protocol": "SsoProtocol",
    "metadata_url": str,
    "issuer": str,
    "client_id": str,
    "client_secret": Union[str, None],
    "scopes": list[str],
    "idp_name": Union[str, None],
    "default_role": "JoiningRole",
    "role_mapping": "list[SsoRoleMapping]",
    "groups_claim": str,
    "enforced": bool,
}, total=False)


class SsoSettings(_SsoSettingsRequired, _SsoSettingsOptional):
    pass


SsoState = Union["SamlConfiguration", "OidcConfiguration", "SsoNotConfigured"]


SsoTest = TypedDict("SsoTest", {
    "metadata_url": str,
    "issuer": str,
}, total=False)


SsoTestResult = TypedDict("SsoTestResult", {
    "valid": bool,
    "error": Union[str, None],
    "metadata_url": Union[str, None],
    "issuer": Union[str, None],
})


StandingFinding = Literal["blocked", "violations", "drift_alerts"]


StandingSort = Literal["name", "score", "trend", "blocked", "violations", "drift_alerts", "last_seen", "updated", "registered"]


StartedImpersonation = TypedDict("StartedImpersonation", {
    "session_id": str,
    "token": Union[str, None],
    "target_user_id": str,
    "target_email": Union[str, None],
    "expires_at": str,
})


StatsGrouping = Literal["decision", "tool", "agent", "source"]


StatsInterval = Literal["minute", "hour", "day"]


StoppedEffect = Literal["block", "escalate"]


StoppedTool = TypedDict("StoppedTool", {
    "tool": str,
    "effect": "StoppedEffect",
    "reasons": list[str],
    "decisions": int,
    "traces": int,
    "findings": dict[str, int],
    "last_seen": str,
    "example_decision_id": Union[str, None],
    "example_trace_id": Union[str, None],
})


Synergy = Literal["synergistic", "neutral", "anti-synergistic"]


Team = TypedDict("Team", {
    "id": str,
    "org_id": str,
    "name": str,
    "description": Union[str, None],
    "status": "TeamStatus",
    "metadata": dict[str, Any],
    "visibility": "Visibility",
    "member_count": int,
    "created_at": str,
    "updated_at": str,
    "archived_at": Union[str, None],
})


TeamBadgeVariant = Literal["score", "score_tier", "score_trend", "compact"]


TeamCard = TypedDict("TeamCard", {
    "card_id": str,
    "team_id": str,
    "version": int,
    "card_json": "TeamCardJson",
    "card_source": "TeamCardSource",
    "issued_at": str,
    "is_active": bool,
})


_TeamCardChange_member_requirements = TypedDict("_TeamCardChange_member_requirements", {
    "required_values": list[str],
    "min_retention_days": int,
}, total=False)


_TeamCardChangeRequired = TypedDict("_TeamCardChangeRequired", {
    "principal": dict[str, Any],
    "values": dict[str, Any],
    "autonomy_envelope": dict[str, Any],
    "audit_commitment": dict[str, Any],
})


_TeamCardChangeOptional = TypedDict("_TeamCardChangeOptional", {
    "extensions": dict[str, Any],
    "team_mission": str,
    "coordination_mode": "TeamCoordinationMode",
    "member_requirements": "_TeamCardChange_member_requirements",
    "card_source": Literal["manual", "hybrid"],
}, total=False)


class TeamCardChange(_TeamCardChangeRequired, _TeamCardChangeOptional):
    pass


TeamCardJson = dict[str, Any]


TeamCardSource = Literal["manual", "auto_derived", "hybrid"]


_TeamCardVersionRequired = TypedDict("_TeamCardVersionRequired", {
    "card_id": str,
    "version": int,
    "card_source": "TeamCardSource",
    "issued_at": str,
    "is_active": bool,
    "actor_id": str,
})


_TeamCardVersionOptional = TypedDict("_TeamCardVersionOptional", {
    "card_json": "TeamCardJson",
}, total=False)


class TeamCardVersion(_TeamCardVersionRequired, _TeamCardVersionOptional):
    pass


_TeamCardVersionPageRequired = TypedDict("_TeamCardVersionPageRequired", {
    "cards": "list[TeamCardVersion]",
    "total": int,
    "page": int,
    "per_page": int,
})


_TeamCardVersionPageOptional = TypedDict("_TeamCardVersionPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class TeamCardVersionPage(_TeamCardVersionPageRequired, _TeamCardVersionPageOptional):
    pass


TeamChanges = TypedDict("TeamChanges", {
    "name": str,
    "description": Union[str, None],
    "metadata": dict[str, Any],
    "visibility": "Visibility",
}, total=False)


TeamCoordinationMode = Literal["collaborative", "hierarchical", "autonomous"]


_TeamForecastRequired = TypedDict("_TeamForecastRequired", {
    "forecast_id": str,
    "fault_line_analysis_id": str,
    "failure_modes": "list[FailureMode]",
    "overall_risk_level": "Severity",
    "confidence": float,
    "created_at": str,
    "produced_by": "IntelligenceProducer",
})


_TeamForecastOptional = TypedDict("_TeamForecastOptional", {
    "fallback_reason": "FallbackReason",
}, total=False)


class TeamForecast(_TeamForecastRequired, _TeamForecastOptional):
    pass


TeamMember = TypedDict("TeamMember", {
    "team_id": str,
    "agent_id": str,
    "agent_name": str,
    "added_at": str,
    "removed_at": None,
})


_TeamPageRequired = TypedDict("_TeamPageRequired", {
    "teams": "list[Team]",
    "total": int,
    "page": int,
    "per_page": int,
})


_TeamPageOptional = TypedDict("_TeamPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class TeamPage(_TeamPageRequired, _TeamPageOptional):
    pass


TeamReputation = TypedDict("TeamReputation", {
    "team_id": str,
    "team_name": str,
    "status": "TeamStatus",
    "score": Union[float, None],
    "grade": "Grade",
    "tier": str,
    "confidence": "Confidence",
    "is_eligible": bool,
    "components": "list[TeamScoreComponent]",
    "total_assessments": int,
    "last_assessed": Union[str, None],
    "trend_30d": float,
    "visibility": "Visibility",
    "member_count": int,
    "computed_at": str,
    "a2a_trust_extension": "Union[TeamTrustExtension, None]",
})


TeamReputationHistory = TypedDict("TeamReputationHistory", {
    "snapshots": "list[TeamReputationSnapshot]",
})


TeamReputationProof = TypedDict("TeamReputationProof", {
    "proof_hash": str,
    "assessment_chain_head": str,
    "hash_chain_valid": bool,
    "total_assessments": int,
    "latest_assessment_id": Union[str, None],
    "latest_assessment_at": Union[str, None],
    "member_score_hashes": list[str],
    "proof_generated_at": str,
})


TeamReputationSnapshot = TypedDict("TeamReputationSnapshot", {
    "team_id": str,
    "week_start": str,
    "score": float,
    "grade": "Grade",
    "components": dict[str, float],
    "total_assessments": int,
    "created_at": str,
})


TeamReputationVerification = TypedDict("TeamReputationVerification", {
    "team_id": str,
    "score": Union[float, None],
    "grade": "Grade",
    "verified": bool,
    "verification": "Union[TeamReputationProof, None]",
    "computed_at": str,
})


__TeamRiskAssessment_contextRequired = TypedDict("__TeamRiskAssessment_contextRequired", {
    "action_type": "RiskActionType",
    "risk_tolerance": "RiskTolerance",
})


__TeamRiskAssessment_contextOptional = TypedDict("__TeamRiskAssessment_contextOptional", {
    "team_task": str,
    "coordination_mode": "CoordinationMode",
}, total=False)


class _TeamRiskAssessment_context(__TeamRiskAssessment_contextRequired, __TeamRiskAssessment_contextOptional):
    pass


TeamRiskAssessment = TypedDict("TeamRiskAssessment", {
    "assessment_id": str,
    "team_id": Union[str, None],
    "agent_ids": list[str],
    "team_risk_score": float,
    "team_risk_level": "RiskLevel",
    "team_coherence_score": float,
    "team_recommendation": "TeamRiskRecommendation",
    "portfolio_risk": float,
    "coherence_risk": float,
    "structural_risk": float,
    "concentration_risk": float,
    "weakest_link_risk": float,
    "circuit_breakers": "list[TeamRiskBreaker]",
    "shapley_values": dict[str, float],
    "risk_attribution": dict[str, float],
    "shapley_method": "ShapleyMethod",
    "outliers": "list[TeamRiskOutlier]",
    "clusters": "list[TeamRiskCluster]",
    "value_divergences": "list[TeamRiskDivergence]",
    "value_divergence_count": int,
    "synergy_type": "Synergy",
    "individual_assessments": "list[RiskAssessment]",
    "context": "_TeamRiskAssessment_context",
    "explanation": str,
    "formula": Literal["team-risk-v1"],
    "inputs_commitment": str,
    "proof_id": Union[str, None],
    "proof_status": "AssessmentProofStatus",
    "created_at": str,
})


__TeamRiskAssessmentRequest_contextRequired = TypedDict("__TeamRiskAssessmentRequest_contextRequired", {
    "action_type": "RiskActionType",
})


__TeamRiskAssessmentRequest_contextOptional = TypedDict("__TeamRiskAssessmentRequest_contextOptional", {
    "risk_tolerance": "RiskTolerance",
    "team_task": str,
    "coordination_mode": "CoordinationMode",
}, total=False)


class _TeamRiskAssessmentRequest_context(__TeamRiskAssessmentRequest_contextRequired, __TeamRiskAssessmentRequest_contextOptional):
    pass


_TeamRiskAssessmentRequestRequired = TypedDict("_TeamRiskAssessmentRequestRequired", {
    "context": "_TeamRiskAssessmentRequest_context",
})


_TeamRiskAssessmentRequestOptional = TypedDict("_TeamRiskAssessmentRequestOptional", {
    "agent_ids": list[str],
    "team_id": str,
    "prove": bool,
}, total=False)


class TeamRiskAssessmentRequest(_TeamRiskAssessmentRequestRequired, _TeamRiskAssessmentRequestOptional):
    pass


TeamRiskBreaker = Literal["member_contained", "member_reputation_floor", "boundary_incompatible"]


TeamRiskCluster = TypedDict("TeamRiskCluster", {
    "cluster_id": str,
    "agent_ids": list[str],
    "internal_risk": float,
    "shared_risk_factors": list[Literal["integrity_ratio", "compliance", "drift_stability", "trace_completeness", "coherence_compatibility", "correlated_violations"]],
})


TeamRiskDivergence = TypedDict("TeamRiskDivergence", {
    "value": str,
    "declaring_agents": list[str],
    "missing_agents": list[str],
    "conflicting_agents": list[str],
    "risk_impact": float,
})


TeamRiskHistory = TypedDict("TeamRiskHistory", {
    "team_id": str,
    "assessments": "list[TeamRiskAssessment]",
    "total": int,
    "limit": int,
    "offset": int,
})


TeamRiskOutlier = TypedDict("TeamRiskOutlier", {
    "agent_id": str,
    "individual_risk_score": float,
    "shapley_value": float,
    "systemic_contribution": float,
    "primary_risk_factors": list[str],
})


TeamRiskRecommendation = Literal["approve_team", "review", "approve_individuals_only", "deny"]


TeamScoreComponent = TypedDict("TeamScoreComponent", {
    "key": "TeamScoreComponentKey",
    "label": str,
    "score": float,
    "weight": float,
    "weighted_score": float,
    "factors": list[str],
})


TeamScoreComponentKey = Literal["coherence_history", "member_quality", "operational_record", "structural_stability", "assessment_density"]


TeamSelection = TypedDict("TeamSelection", {
    "team_id": str,
})


TeamStatus = Literal["active", "archived"]


TeamTrustExtension = TypedDict("TeamTrustExtension", {
    "provider": str,
    "score": float,
    "grade": "Grade",
    "verified_url": str,
    "badge_url": str,
    "verify_url": str,
    "extension_uri": str,
    "confidence": str,
    "methodology_url": str,
    "last_updated": str,
    "member_count": int,
})


TeamWithMembers = TypedDict("TeamWithMembers", {
    "team": "Team",
    "members": "list[TeamMember]",
})


TextProblem = TypedDict("TextProblem", {
    "error": str,
})


Tokens = TypedDict("Tokens", {
    "access_token": str,
    "token_type": Literal["Bearer"],
    "expires_in": int,
    "refresh_token": str,
    "user": "User",
})


_ToolCallRequired = TypedDict("_ToolCallRequired", {
    "tool": str,
})


_ToolCallOptional = TypedDict("_ToolCallOptional", {
    "agent_id": str,
    "arguments": dict[str, Any],
    "justification": str,
    "session_id": str,
    "call_id": str,
    "transaction_id": str,
    "escalation_id": str,
}, total=False)


class ToolCall(_ToolCallRequired, _ToolCallOptional):
    pass


ToolCalls = TypedDict("ToolCalls", {
    "calls": "list[ToolCall]",
})


ToolChange = TypedDict("ToolChange", {
    "sha256": str,
    "definition": dict[str, Any],
    "seen_at": str,
})


_ToolDefinitionRequired = TypedDict("_ToolDefinitionRequired", {
    "name": str,
    "input_schema": dict[str, Any],
})


_ToolDefinitionOptional = TypedDict("_ToolDefinitionOptional", {
    "description": str,
    "annotations": dict[str, Any],
}, total=False)


class ToolDefinition(_ToolDefinitionRequired, _ToolDefinitionOptional):
    pass


_ToolImpact_samples = TypedDict("_ToolImpact_samples", {
    "trace_id": str,
    "agent_id": str,
    "timestamp": str,
    "before": "PolicyVerdict",
    "after": "PolicyVerdict",
})


ToolImpact = TypedDict("ToolImpact", {
    "tool": str,
    "newly_failing": int,
    "newly_passing": int,
    "unchanged": int,
    "samples": "list[_ToolImpact_samples]",
})


ToolPin = TypedDict("ToolPin", {
    "server": str,
    "tool": str,
    "policy_tool": str,
    "sha256": str,
    "definition": dict[str, Any],
    "pinned_at": str,
    "pinned_by": Union[str, None],
    "change": "Union[ToolChange, None]",
})


ToolPinAcceptance = TypedDict("ToolPinAcceptance", {
    "server": str,
    "tool": str,
    "sha256": str,
})


ToolPinPage = TypedDict("ToolPinPage", {
    "tool_pins": "list[ToolPin]",
    "total": int,
    "page": int,
    "per_page": int,
})


ToolReport = TypedDict("ToolReport", {
    "server": str,
    "tools": "list[ToolDefinition]",
})


ToolReportResult = TypedDict("ToolReportResult", {
    "server": str,
    "pinned": list[str],
    "changed": list[str],
})


__Trace_decision_alternatives_consideredRequired = TypedDict("__Trace_decision_alternatives_consideredRequired", {
    "option_id": str,
    "description": str,
})


__Trace_decision_alternatives_consideredOptional = TypedDict("__Trace_decision_alternatives_consideredOptional", {
    "score": float,
    "scoring_factors": dict[str, Any],
    "flags": list[str],
}, total=False)


class _Trace_decision_alternatives_considered(__Trace_decision_alternatives_consideredRequired, __Trace_decision_alternatives_consideredOptional):
    pass


__Trace_decisionRequired = TypedDict("__Trace_decisionRequired", {
    "selected": str,
    "selection_reasoning": str,
    "values_applied": list[str],
    "confidence": Union[float, None],
})


__Trace_decisionOptional = TypedDict("__Trace_decisionOptional", {
    "alternatives_considered": "list[_Trace_decision_alternatives_considered]",
}, total=False)


class _Trace_decision(__Trace_decisionRequired, __Trace_decisionOptional):
    pass


__Trace_contextRequired = TypedDict("__Trace_contextRequired", {
    "session_id": str,
})


__Trace_contextOptional = TypedDict("__Trace_contextOptional", {
    "conversation_turn": float,
    "prior_trace_ids": list[str],
    "environment": dict[str, Any],
    "metadata": dict[str, Any],
}, total=False)


class _Trace_context(__Trace_contextRequired, __Trace_contextOptional):
    pass


_Trace_policy = TypedDict("_Trace_policy", {
    "verdict": "PolicyVerdict",
    "violations": int,
    "warnings": int,
    "policy_id": Union[str, None],
    "policy_version": Union[int, None],
    "tools": list[str],
})


Trace = TypedDict("Trace", {
    "trace_id": str,
    "agent_id": str,
    "card_id": str,
    "timestamp": str,
    "action": "TraceAction",
    "decision": "_Trace_decision",
    "escalation": "Union[TraceEscalation, None]",
    "context": "_Trace_context",
    "tools": list[str],
    "verification": "TraceVerification",
    "policy": "Union[_Trace_policy, None]",
    "decision_id": Union[str, None],
    "provenance": "Provenance",
    "created_at": str,
    "received_at": str,
})


_TraceAction_target = TypedDict("_TraceAction_target", {
    "type": str,
    "identifier": str,
}, total=False)


_TraceActionRequired = TypedDict("_TraceActionRequired", {
    "type": "TraceActionType",
    "name": str,
    "category": "TraceActionCategory",
})


_TraceActionOptional = TypedDict("_TraceActionOptional", {
    "target": "_TraceAction_target",
    "parameters": dict[str, Any],
}, total=False)


class TraceAction(_TraceActionRequired, _TraceActionOptional):
    pass


TraceActionCategory = Literal["bounded", "escalation_trigger", "forbidden"]


TraceActionType = Literal["recommend", "execute", "escalate", "deny"]


_TraceBatchItemRequired = TypedDict("_TraceBatchItemRequired", {
    "index": int,
    "status": Literal["created", "duplicate", "rejected"],
})


_TraceBatchItemOptional = TypedDict("_TraceBatchItemOptional", {
    "trace_id": str,
    "verified": bool,
    "error": str,
    "message": str,
}, total=False)


class TraceBatchItem(_TraceBatchItemRequired, _TraceBatchItemOptional):
    pass


TraceBatchResult = TypedDict("TraceBatchResult", {
    "results": "list[TraceBatchItem]",
    "accepted": int,
    "duplicates": int,
    "rejected": int,
})


__TraceEscalation_triggers_checkedRequired = TypedDict("__TraceEscalation_triggers_checkedRequired", {
    "trigger": str,
    "matched": bool,
})


__TraceEscalation_triggers_checkedOptional = TypedDict("__TraceEscalation_triggers_checkedOptional", {
    "value_observed": Any,
}, total=False)


class _TraceEscalation_triggers_checked(__TraceEscalation_triggers_checkedRequired, __TraceEscalation_triggers_checkedOptional):
    pass


_TraceEscalation_principal_response = TypedDict("_TraceEscalation_principal_response", {
    "decision": str,
    "timestamp": str,
    "conditions": Any,
}, total=False)


_TraceEscalationRequired = TypedDict("_TraceEscalationRequired", {
    "evaluated": bool,
    "required": bool,
    "reason": str,
})


_TraceEscalationOptional = TypedDict("_TraceEscalationOptional", {
    "triggers_checked": "list[_TraceEscalation_triggers_checked]",
    "escalation_id": str,
    "escalation_status": "TraceEscalationStatus",
    "principal_response": "_TraceEscalation_principal_response",
}, total=False)


class TraceEscalation(_TraceEscalationRequired, _TraceEscalationOptional):
    pass


TraceEscalationStatus = Literal["pending", "approved", "denied", "timeout"]


_TracePageRequired = TypedDict("_TracePageRequired", {
    "traces": "list[Trace]",
    "total": int,
    "page": int,
    "per_page": int,
})


_TracePageOptional = TypedDict("_TracePageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class TracePage(_TracePageRequired, _TracePageOptional):
    pass


TraceRecommendedAction = Literal["proceed", "review", "deny"]


_TraceToVerifyRequired = TypedDict("_TraceToVerifyRequired", {
    "trace": "NewTrace",
})


_TraceToVerifyOptional = TypedDict("_TraceToVerifyOptional", {
    "card": Any,
}, total=False)


class TraceToVerify(_TraceToVerifyRequired, _TraceToVerifyOptional):
    pass


_TraceVerification_warnings = TypedDict("_TraceVerification_warnings", {
    "type": str,
    "description": str,
    "trace_field": str,
})


TraceVerification = TypedDict("TraceVerification", {
    "verified": bool,
    "violations": "list[TraceViolationType]",
    "violation_details": "list[TraceViolation]",
    "warnings": "list[_TraceVerification_warnings]",
    "similarity_score": float,
    "recommended_action": "TraceRecommendedAction",
    "verified_at": str,
    "algorithm_version": str,
    "card_id": str,
})


_TraceVerificationResult_warnings = TypedDict("_TraceVerificationResult_warnings", {
    "type": str,
    "description": str,
    "trace_field": str,
})


TraceVerificationResult = TypedDict("TraceVerificationResult", {
    "verified": bool,
    "violations": "list[TraceViolationType]",
    "violation_details": "list[TraceViolation]",
    "warnings": "list[_TraceVerificationResult_warnings]",
    "similarity_score": float,
    "recommended_action": "TraceRecommendedAction",
    "verified_at": str,
    "algorithm_version": str,
    "card_id": Union[str, None],
})


TraceViolation = TypedDict("TraceViolation", {
    "type": "TraceViolationType",
    "severity": Literal["critical", "high", "medium"],
    "description": str,
    "trace_field": str,
})


TraceViolationType = Literal["CARD_MISMATCH", "CARD_EXPIRED", "UNBOUNDED_ACTION", "FORBIDDEN_ACTION", "MISSED_ESCALATION", "UNDECLARED_VALUE"]


Transaction = TypedDict("Transaction", {
    "transaction_id": str,
    "agent_id": str,
    "description": str,
    "action_type": "TransactionActionType",
    "status": "TransactionStatus",
    "tools": list[str],
    "team_ids": list[str],
    "created_at": str,
    "expires_at": str,
    "completed_at": Union[str, None],
    "merged_policy": dict[str, Any],
})


TransactionActionType = Literal["financial_operation", "financial_transaction", "data_access", "data_modification", "content_generation", "communication", "code_execution", "tool_invocation", "task_delegation", "autonomous_operation", "multi_agent_coordination"]


_TransactionPageRequired = TypedDict("_TransactionPageRequired", {
    "transactions": "list[TransactionSummary]",
    "total": int,
    "page": int,
    "per_page": int,
})


_TransactionPageOptional = TypedDict("_TransactionPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class TransactionPage(_TransactionPageRequired, _TransactionPageOptional):
    pass


TransactionStatus = Literal["active", "completed", "expired"]


TransactionSummary = TypedDict("TransactionSummary", {
    "transaction_id": str,
    "agent_id": str,
    "description": str,
    "action_type": "TransactionActionType",
    "status": "TransactionStatus",
    "tools": list[str],
    "team_ids": list[str],
    "created_at": str,
    "expires_at": str,
    "completed_at": Union[str, None],
})


TreeHead = TypedDict("TreeHead", {
    "agent_id": str,
    "merkle_root": str,
    "onchain_root": str,
    "tree_depth": int,
    "leaf_count": int,
    "last_updated": str,
    "key_id": str,
    "signature": str,
})


TrustDirection = Literal["out", "in", "both"]


TrustEdge = TypedDict("TrustEdge", {
    "id": str,
    "source_agent_id": str,
    "target_agent_id": str,
    "trust_level": "TrustLevel",
    "reason": Union[str, None],
    "created_at": str,
})


_TrustEdgePageRequired = TypedDict("_TrustEdgePageRequired", {
    "trust_edges": "list[TrustEdge]",
    "total": int,
    "page": int,
    "per_page": int,
})


_TrustEdgePageOptional = TypedDict("_TrustEdgePageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class TrustEdgePage(_TrustEdgePageRequired, _TrustEdgePageOptional):
    pass


TrustExtension = TypedDict("TrustExtension", {
    "provider": str,
    "score": Union[float, None],
    "grade": "Grade",
    "verified_url": str,
    "badge_url": str,
    "verify_url": str,
    "extension_uri": str,
    "confidence": str,
    "assurance": Union[int, None],
    "assured_score": Union[int, None],
    "methodology_url": str,
    "last_updated": str,
})


TrustLevel = Literal["high", "medium", "low"]


UpdatedEnforcement = TypedDict("UpdatedEnforcement", {
    "agent_id": str,
    "enforcement_mode": "EnforcementMode",
    "nudge_strategy": "NudgeStrategy",
    "nudge_rate": int,
    "nudge_threshold": int,
    "updated": Literal[True],
})


Usage = TypedDict("Usage", {
    "org_id": str,
    "daily": "list[UsageDay]",
})


UsageDay = TypedDict("UsageDay", {
    "date": str,
    "checks": int,
    "team_reputation": int,
    "risk_assessment": int,
    "team_risk_assessment": int,
})


User = TypedDict("User", {
    "user_id": str,
    "email": Union[str, None],
})


ValidationFinding = TypedDict("ValidationFinding", {
    "path": str,
    "code": str,
    "message": str,
})


ValueDivergence = TypedDict("ValueDivergence", {
    "value": str,
    "agents_declaring": list[str],
    "agents_missing": list[str],
    "agents_conflicting": list[str],
    "impact_on_fleet_score": float,
})


Verdict = Literal["clear", "review_needed", "boundary_violation"]


VerdictCounts = TypedDict("VerdictCounts", {
    "clear": int,
    "review_needed": int,
    "boundary_violation": int,
})


_Violation_policy = TypedDict("_Violation_policy", {
    "verdict": str,
    "violations": int,
    "warnings": int,
})


Violation = TypedDict("Violation", {
    "checkpoint_id": str,
    "session_id": str,
    "trace_id": Union[str, None],
    "verdict": str,
    "type": str,
    "severity": Union[str, None],
    "description": Union[str, None],
    "card_id": str,
    "detected_at": str,
    "reclassified_as": "Union[ReclassifiedType, None]",
    "reclassification_id": Union[str, None],
    "counts_against_score": bool,
    "certificate_hash": Union[str, None],
    "policy": "Union[_Violation_policy, None]",
    "loosened_by": list[str],
    "comment_count": int,
    "comments": "list[ViolationComment]",
})


ViolationComment = TypedDict("ViolationComment", {
    "id": str,
    "checkpoint_id": str,
    "author": str,
    "text": str,
    "created_at": str,
    "prev_hash": str,
    "entry_hash": str,
})


_ViolationCommentPageRequired = TypedDict("_ViolationCommentPageRequired", {
    "comments": "list[ViolationComment]",
    "total": int,
    "page": int,
    "per_page": int,
})


_ViolationCommentPageOptional = TypedDict("_ViolationCommentPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class ViolationCommentPage(_ViolationCommentPageRequired, _ViolationCommentPageOptional):
    pass


_ViolationPageRequired = TypedDict("_ViolationPageRequired", {
    "violations": "list[Violation]",
    "total": int,
    "page": int,
    "per_page": int,
})


_ViolationPageOptional = TypedDict("_ViolationPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class ViolationPage(_ViolationPageRequired, _ViolationPageOptional):
    pass


ViolationStatus = Literal["open", "reclassified", "all"]


ViolationType = TypedDict("ViolationType", {
    "type": str,
    "count": int,
    "boundary_violations": int,
    "reclassified": int,
    "sessions": int,
    "last_at": str,
})


ViolationTypes = TypedDict("ViolationTypes", {
    "types": "list[ViolationType]",
})


ViolationVerdict = Literal["boundary_violation", "review_needed"]


Visibility = Literal["public", "unlisted", "private"]


Webhook = TypedDict("Webhook", {
    "endpoint_id": str,
    "billing_account_id": str,
    "url": str,
    "description": Union[str, None],
    "event_types": list[str],
    "is_active": bool,
    "consecutive_failures": int,
    "disabled_at": Union[str, None],
    "disabled_reason": Union[str, None],
    "created_at": str,
    "updated_at": str,
})


WebhookAttempt = TypedDict("WebhookAttempt", {
    "at": str,
    "status": Union[int, None],
    "latency_ms": Union[int, None],
    "error": Union[str, None],
})


WebhookChanges = TypedDict("WebhookChanges", {
    "url": str,
    "description": Union[str, None],
    "event_types": "list[EventSubscription]",
    "is_active": bool,
}, total=False)


WebhookDelivery = TypedDict("WebhookDelivery", {
    "delivery_id": str,
    "event_id": str,
    "endpoint_id": str,
    "event_type": str,
    "status": "DeliveryStatus",
    "attempt_count": int,
    "max_attempts": int,
    "last_response_status": Union[int, None],
    "last_error": Union[str, None],
    "latency_ms": Union[int, None],
    "next_attempt_at": Union[str, None],
    "created_at": str,
    "updated_at": str,
})


_WebhookDeliveryDetail_payload = TypedDict("_WebhookDeliveryDetail_payload", {
})


WebhookDeliveryDetail = TypedDict("WebhookDeliveryDetail", {
    "delivery_id": str,
    "event_id": str,
    "endpoint_id": str,
    "event_type": str,
    "status": "DeliveryStatus",
    "attempt_count": int,
    "max_attempts": int,
    "last_response_status": Union[int, None],
    "last_error": Union[str, None],
    "latency_ms": Union[int, None],
    "next_attempt_at": Union[str, None],
    "created_at": str,
    "updated_at": str,
    "payload": "_WebhookDeliveryDetail_payload",
    "attempts": "list[WebhookAttempt]",
})


_WebhookDeliveryPageRequired = TypedDict("_WebhookDeliveryPageRequired", {
    "deliveries": "list[WebhookDelivery]",
    "total": int,
    "page": int,
    "per_page": int,
})


_WebhookDeliveryPageOptional = TypedDict("_WebhookDeliveryPageOptional", {
    "limit": int,
    "offset": int,
}, total=False)


class WebhookDeliveryPage(_WebhookDeliveryPageRequired, _WebhookDeliveryPageOptional):
    pass


WebhookList = TypedDict("WebhookList", {
    "webhooks": "list[Webhook]",
})


WebhookRedelivery = TypedDict("WebhookRedelivery", {
    "delivery_id": str,
    "event_id": str,
    "status": Literal["pending"],
})


WebhookReplay = TypedDict("WebhookReplay", {
    "replay_id": str,
    "endpoint_id": str,
    "since": str,
    "until": str,
    "event_types": Union[list[str], None],
})


_WebhookReplayRequestRequired = TypedDict("_WebhookReplayRequestRequired", {
    "since": str,
})


_WebhookReplayRequestOptional = TypedDict("_WebhookReplayRequestOptional", {
    "event_types": "list[EventSubscription]",
}, total=False)


class WebhookReplayRequest(_WebhookReplayRequestRequired, _WebhookReplayRequestOptional):
    pass


WebhookSecret = TypedDict("WebhookSecret", {
    "endpoint_id": str,
    "signing_secret": Union[str, None],
})


WebhookSecretRotation = TypedDict("WebhookSecretRotation", {
    "overlap_hours": int,
}, total=False)


WebhookTest = TypedDict("WebhookTest", {
    "success": bool,
    "status": Union[int, None],
    "latency_ms": Union[int, None],
    "error": Union[str, None],
})


WebhookWithSecret = TypedDict("WebhookWithSecret", {
    "endpoint_id": str,
    "billing_account_id": str,
    "url": str,
    "description": Union[str, None],
    "event_types": list[str],
    "is_active": bool,
    "consecutive_failures": int,
    "disabled_at": Union[str, None],
    "disabled_reason": Union[str, None],
    "created_at": str,
    "updated_at": str,
    "signing_secret": Union[str, None],
})


WitnessCheck = TypedDict("WitnessCheck", {
    "name": str,
    "status": str,
    "size": int,
    "cosigned_at": Union[str, None],
})
