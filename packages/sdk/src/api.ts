// Written by tools/write-sdk-types.ts from docs/api/openapi.json.

export interface paths {
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public keys of session tokens
         * @description No credential needed. Rate limit: 60 a minute per caller.
         */
        get: operations["getJwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the issuer of session tokens
         * @description No credential needed. Rate limit: 60 a minute per caller.
         */
        get: operations["getOpenIdConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dev/chain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call the development chain
         * @description The read methods of JSON-RPC, one call or a batch of at most 100. Each call counts towards the rate limit; those that can take long, such as eth_getLogs and eth_estimateGas, count tenfold. 404 with CHAIN_MODE=rpc. No credential needed. Rate limit: 300 a minute per caller.
         */
        post: operations["callDevChain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process runs
         * @description No credential needed.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service accepts requests
         * @description No credential needed.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/startup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that start-up is complete
         * @description No credential needed.
         */
        get: operations["getStartup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/writable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service can store data
         * @description 503 while the database is read-only, its disk is full or there is no primary. Reads may be answered all the same: see `/health/ready`. No credential needed.
         */
        get: operations["getWritability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/log/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the newest published checkpoint of the log
         * @description A signed note of c2sp.org/tlog-checkpoint with the cosignatures of witnesses. No credential needed. Rate limit: 600 a minute per caller.
         */
        get: operations["getLogCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs/{org_id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set an organisation's plan, status and limits
         * @description Takes effect immediately. For platform administrators. Rate limit: 30 a minute per caller.
         */
        put: operations["setOrgPlan"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs/{org_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a deleted organisation
         * @description For platform administrators. Rate limit: 30 a minute per caller.
         */
        post: operations["restoreOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the agents of your organisation
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["listAgents"];
        put?: never;
        /**
         * Register an agent
         * @description Ids of agents are kept as given and compared without regard to case. 409 conflict if the id is taken, similar_id if it looks like an id in use. A request answered 409 counts as 10 towards the rate limit. Roles: owner, admin, member; API keys with scope ingest. Rate limit: 60 a minute per caller.
         */
        post: operations["registerAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an agent
         * @description Without a credential of its organisation, only the public fields. No credential needed. Rate limit: 120 a minute per caller.
         */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        /**
         * Archive an agent
         * @description Roles: owner; no API keys. Rate limit: 60 a minute per caller.
         */
        delete: operations["archiveAgent"];
        options?: never;
        head?: never;
        /**
         * Update an agent
         * @description Roles: owner, admin; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        patch: operations["updateAgent"];
        trace?: never;
    };
    "/v1/agents/{agent_id}/card": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an agent's alignment card
         * @description As JSON, or as YAML if Accept prefers it. No credential needed. Rate limit: 120 a minute per caller.
         */
        get: operations["getAgentCard"];
        /**
         * Replace an agent's card
         * @description If-Match prevents lost updates. Roles: owner, admin; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        put: operations["replaceAgentCard"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change parts of an agent's card
         * @description A JSON merge patch (RFC 7396). Roles: owner, admin; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        patch: operations["patchAgentCard"];
        trace?: never;
    };
    "/v1/agents/{agent_id}/card-amendments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the amendments of an agent's card
         * @description One per changed field, newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listCardAmendments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/card/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of an agent's card
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["listAgentCardVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/card/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate a card without storing it
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        post: operations["validateAgentCard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the checkpoints of an agent
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["listCheckpoints"];
        put?: never;
        /**
         * Analyse a submission and record the checkpoint
         * @description Appends the result to the agent's hash chain; 200 for a dry run or a duplicate. Roles: owner, admin, member; API keys with scope ingest. Rate limit: 600 a minute per caller.
         */
        post: operations["createCheckpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim an agent
         * @description Proves that you hold its secret. For any signed-in user. Rate limit: 10 a minute per caller.
         */
        post: operations["claimAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/compliance-export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the compliance record of an agent
         * @description Its violations, reclassifications, card amendments and scores, as a file. Roles: owner, admin, auditor; API keys with scope read. Rate limit: 10 a minute per caller.
         */
        get: operations["exportCompliance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the connections of an agent
         * @description Roles: owner, admin; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        get: operations["listModelConnections"];
        put?: never;
        /**
         * Create a connection to a model provider
         * @description The token is shown only once, also within base_url and environment. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["createModelConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/connections/{connection_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a connection of an agent
         * @description Roles: owner, admin; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        get: operations["getModelConnection"];
        put?: never;
        post?: never;
        /**
         * Revoke a connection
         * @description Its token stops working within a second. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        delete: operations["revokeModelConnection"];
        options?: never;
        head?: never;
        /**
         * Change the settings of a connection
         * @description Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        patch: operations["updateModelConnection"];
        trace?: never;
    };
    "/v1/agents/{agent_id}/connections/{connection_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the token of a connection
         * @description The new token is shown only once. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["rotateModelConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/conscience-values": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get all conscience values that apply to an agent
         * @description From the base set, the organisation, the card template and its own card. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getAgentConscienceValues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/consistency-proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a proof that an agent's Merkle tree is append-only
         * @description No credential needed. Rate limit: 100 a minute per caller.
         */
        get: operations["getConsistencyProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/drift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the drift alerts of an agent
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["listDriftAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/drift/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge several drift alerts of an agent
         * @description Alerts that are already resolved are left out of the answer. Roles: owner, admin, member; API keys with scope ingest. Rate limit: 60 a minute per caller.
         */
        post: operations["acknowledgeDriftAlerts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/enforcement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an agent's enforcement mode
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["getEnforcement"];
        /**
         * Set an agent's enforcement mode
         * @description Roles: owner, admin; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        put: operations["setEnforcement"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive an agent and erase it after 30 days
         * @description Roles: owner; no API keys. Rate limit: 60 a minute per caller.
         */
        post: operations["eraseAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/integrity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the counts of an agent's checkpoints by verdict
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["getIntegrity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/merkle-root": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the signed head of an agent's Merkle tree
         * @description No credential needed. Rate limit: 100 a minute per caller.
         */
        get: operations["getTreeHead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/model-usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the turns and tokens of an agent at its model providers
         * @description By day and model, oldest first; from the day of `from` to that of `to`, at most 400 days, by default the last 30. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getModelUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/org-card-exempt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Exempt an agent from its organisation's card template
         * @description Or end the exemption. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        put: operations["setCardTemplateExemption"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the policy of an agent
         * @description As JSON, or as YAML if Accept prefers it. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getAgentPolicy"];
        /**
         * Replace the policy of an agent
         * @description If-Match and If-None-Match prevent lost updates. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        put: operations["replaceAgentPolicy"];
        post?: never;
        /**
         * Delete the policy of an agent
         * @description Its versions are kept. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        delete: operations["deleteAgentPolicy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/policy-evaluations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the policy evaluations of an agent
         * @description Of its calls and traces in the last 90 days, newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listPolicyEvaluations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/policy/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of the policy of an agent
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["listAgentPolicyVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/policy/resolved": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the effective policy of an agent
         * @description Its organisation's policy merged with its own. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["getResolvedPolicy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/policy/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a version of the policy of an agent
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["getAgentPolicyVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/reclassifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the reclassifications of an agent
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listReclassifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/reclassify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reclassify a violation
         * @description As a gap in the card or as misbehaviour; this cannot be undone. A named amendment must be what would have made the call right; with an API key that needs the scope approve, and never with the key that sent the checkpoint. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["reclassifyViolation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of an agent
         * @description The most recently active first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/tool-pins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the pinned MCP tools of an agent
         * @description Tools with a change that nobody has accepted come first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["listToolPins"];
        /**
         * Accept a definition of a pinned tool
         * @description That of the change is pinned from now on; the pinned one is kept, and the change is discarded. 409 if the definition has changed again. A key that is bound to an agent cannot accept changes. Roles: owner, admin; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        put: operations["acceptTool"];
        /**
         * Report the tools that an MCP server lists
         * @description A tool that is seen for the first time is pinned. A definition that differs from the pinned one is noted as a change, and calls of the tool are decided with the reason tool_changed until the change is accepted. Roles: owner, admin, member; API keys with scope decide. Rate limit: 120 a minute per caller.
         */
        post: operations["reportTools"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/traces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the traces of an agent
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["listAgentTraces"];
        put?: never;
        /**
         * Verify and store a trace of an agent
         * @description 200 if the trace is already stored. Roles: owner, admin, member; API keys with scope ingest. Rate limit: 600 a minute per caller.
         */
        post: operations["createAgentTrace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/trust-edges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the trust edges of an agent
         * @description Outgoing or incoming, newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listTrustEdges"];
        put?: never;
        /**
         * Declare that an agent trusts another
         * @description The other agent may belong to another organisation. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["createTrustEdge"];
        /**
         * Delete the trust edge to an agent
         * @description Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        delete: operations["deleteTrustEdgeByTarget"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/trust-edges/{edge_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a trust edge
         * @description Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        delete: operations["deleteTrustEdge"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/violation-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the violations of an agent by type
         * @description The most frequent first, also reclassified ones. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listViolationTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/violations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the violations of an agent
         * @description With their reclassifications, newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listViolations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/violations/{checkpoint_id}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the comments on a violation
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listViolationComments"];
        put?: never;
        /**
         * Comment on a violation
         * @description Comments are permanent; each is chained to the previous one by hash. Roles: owner, admin, auditor, member; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["createViolationComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your API keys
         * @description For any signed-in user. Rate limit: 60 a minute per caller.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The secret is shown only once. A key with the scope write can create keys of agents: with agent_id, role member and scopes decide and ingest. Roles: owner, admin, auditor, member; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke one of your API keys
         * @description For any signed-in user. Rate limit: 30 a minute per caller.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of one of your API keys
         * @description The new secret is shown only once. For any signed-in user. Rate limit: 30 a minute per caller.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/browser-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a session into a cookie of the browser
         * @description For the dashboard: uses up the refresh token of a sign-in, and ends the session that was in the cookie. Needs the header x-touchstone-dashboard: 1. No credential needed. Rate limit: 30 a minute per address.
         */
        post: operations["startBrowserSession"];
        /**
         * End the session in the cookie of the browser
         * @description In all tabs. Needs the header x-touchstone-dashboard: 1. No credential needed. Rate limit: 30 a minute per address.
         */
        delete: operations["endBrowserSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/browser-session/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get an access token with the cookie of the browser
         * @description Extends the session. Needs the header x-touchstone-dashboard: 1. No credential needed. Rate limit: 120 a minute per address.
         */
        post: operations["renewBrowserSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/delete-account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete your account
         * @description Leaves every organisation and erases your profile. For any signed-in user. Rate limit: 30 a minute per caller.
         */
        delete: operations["deleteAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description For an account with a second factor, the answer is a challenge. No credential needed. Rate limit: 10 a minute per address.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish a sign-in with a code of the second factor
         * @description A code works once. No credential needed. Rate limit: 10 a minute per address.
         */
        post: operations["signInWithCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the session of a refresh token
         * @description No credential needed. Rate limit: 30 a minute per address.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your profile
         * @description For any signed-in user. Rate limit: 60 a minute per caller.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your password
         * @description Ends all sessions. For any signed-in user. Rate limit: 30 a minute per caller.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request an e-mail with a link to reset your password
         * @description No credential needed. Rate limit: 5 a minute per address.
         */
        post: operations["requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password-reset/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password with the token from the e-mail
         * @description No credential needed. Rate limit: 30 a minute per address.
         */
        post: operations["confirmPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a refresh token for new tokens
         * @description A refresh token works once. No credential needed. Rate limit: 30 a minute per address.
         */
        post: operations["refreshTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of your second factor
         * @description For any signed-in user. Rate limit: 60 a minute per caller.
         */
        get: operations["getSecondFactor"];
        put?: never;
        /**
         * Create a secret for an authenticator app
         * @description It counts once a code of it was confirmed. For any signed-in user. Rate limit: 10 a minute per caller.
         */
        post: operations["enrolSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/second-factor/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switch the second factor on with a first code
         * @description Ends all other sessions. The recovery codes are not shown again. For any signed-in user. Rate limit: 10 a minute per caller.
         */
        post: operations["confirmSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/second-factor/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switch your second factor off
         * @description For any signed-in user. Rate limit: 10 a minute per caller.
         */
        post: operations["disableSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/second-factor/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace your recovery codes
         * @description For any signed-in user. Rate limit: 10 a minute per caller.
         */
        post: operations["replaceRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions
         * @description Last used first. For any signed-in user. Rate limit: 60 a minute per caller.
         */
        get: operations["listSignInSessions"];
        put?: never;
        post?: never;
        /**
         * Sign out everywhere
         * @description Ends all your sessions, this one included. For any signed-in user. Rate limit: 30 a minute per caller.
         */
        delete: operations["endAllSignInSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of your sessions
         * @description Its tokens stop working on every node within a second. For any signed-in user. Rate limit: 30 a minute per caller.
         */
        delete: operations["endSignInSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/signup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an account
         * @description No credential needed. Rate limit: 5 a minute per address.
         */
        post: operations["signUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sso/check-domain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether an e-mail address signs in with single sign-on
         * @description No credential needed. Rate limit: 60 a minute per address.
         */
        get: operations["checkSsoDomain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sso/exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a sign-in code for tokens
         * @description A code works once, for 60 seconds, and with the cookie of the browser that started the sign-in. No credential needed. Rate limit: 30 a minute per address.
         */
        post: operations["exchangeSsoCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sso/{org_id}/acs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive the response of the identity provider
         * @description No credential needed. Rate limit: 30 a minute per address.
         */
        post: operations["acceptSsoResponse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sso/{org_id}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Receive the authorization code of the identity provider
         * @description No credential needed. Rate limit: 30 a minute per address.
         */
        get: operations["acceptSsoCode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sso/{org_id}/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start a sign-in at the identity provider
         * @description No credential needed. Rate limit: 60 a minute per address.
         */
        get: operations["startSso"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sso/{org_id}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the SAML metadata of this service for an identity provider
         * @description No credential needed. Rate limit: 60 a minute per caller.
         */
        get: operations["getSsoMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkpoints/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Analyse and record up to 50 submissions
         * @description In the order given; one that is rejected does not stop the rest. Roles: owner, admin, member; API keys with scope ingest. Rate limit: 60 a minute per caller.
         */
        post: operations["createCheckpointBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkpoints/{checkpoint_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a checkpoint
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["getCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkpoints/{checkpoint_id}/certificate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the integrity certificate of a checkpoint
         * @description No credential needed. Rate limit: 100 a minute per caller.
         */
        get: operations["getCertificate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkpoints/{checkpoint_id}/inclusion-proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a proof that a checkpoint is in its agent's Merkle tree
         * @description No credential needed. Rate limit: 100 a minute per caller.
         */
        get: operations["getInclusionProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/coherence/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check how compatible the values of two agents are
         * @description Each agent must be public or belong to your organisation. The result enters the scores of those of the two agents that belong to your organisation, and only if the key has the scope write. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        post: operations["checkCoherence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List decisions
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["listDecisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/decisions/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export decisions as a file
         * @description Filters as in the list. Roles: owner, admin, auditor; API keys with scope read. Rate limit: 10 a minute per caller.
         */
        get: operations["exportDecisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/decisions/outcomes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report what became of several decisions
         * @description Roles: owner, admin, member; API keys with scope decide. Rate limit: the plan's requests per second and caller.
         */
        post: operations["reportOutcomes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/decisions/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count decisions per interval
         * @description The 20 most frequent keys, all others as `other`, which also counts a tool or agent of this name; durations are estimated from a histogram. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["getDecisionStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/decisions/{decision_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a decision
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["getDecision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/decisions/{decision_id}/outcome": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report what became of a decision
         * @description Only the credential that asked, or a key that is bound to the agent. A call that was made although the decision was block or escalate is a bypass and counts as a boundary violation. Roles: owner, admin, member; API keys with scope decide. Rate limit: the plan's requests per second and caller.
         */
        post: operations["reportOutcome"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/directory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search rated public agents
         * @description No credential needed. Rate limit: 60 a minute per caller.
         */
        get: operations["searchDirectory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drift/{alert_id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge an open drift alert
         * @description Roles: owner, admin, member; API keys with scope ingest. Rate limit: 60 a minute per caller.
         */
        post: operations["acknowledgeDriftAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/escalations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tool calls that need or needed an approval
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listEscalations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/escalations/{escalation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an escalation, or wait until somebody answers it
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getEscalation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/escalations/{escalation_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve or reject a pending escalation
         * @description The key that asked, and whoever has approved already, gets 403 self_approval. The escalation stays pending until approvals_required people have approved; one rejection ends it. Roles: owner, admin, auditor, member; API keys with scope approve. Rate limit: 30 a minute per caller.
         */
        post: operations["resolveEscalation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide whether an agent may call a tool now
         * @description Roles: owner, admin, member; API keys with scope decide. Rate limit: the plan's requests per second and caller.
         */
        post: operations["decideToolCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/decide/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide whether agents may call several tools now
         * @description Stored in one transaction. An invalid call rejects the request; any other error is the result of its call. Roles: owner, admin, member; API keys with scope decide. Rate limit: the plan's requests per second and caller.
         */
        post: operations["decideToolCalls"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hooks/{client}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer an event of a coding agent
         * @description The client posts the input of its hook. Needs a key that is bound to an agent. Input that cannot be read is answered with a denial, because some clients let a call run after an error. Roles: owner, admin, member; API keys with scope decide. Rate limit: the plan's requests per second and caller.
         */
        post: operations["handleHook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/impersonate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Impersonate a user
         * @description Read-only, for one hour. For platform administrators. Rate limit: 10 a minute per caller.
         */
        post: operations["startImpersonation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/impersonation/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an active impersonation session
         * @description For platform administrators. Rate limit: 60 a minute per caller.
         */
        get: operations["getImpersonation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/impersonation/{id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End your impersonation session
         * @description For platform administrators. Rate limit: 30 a minute per caller.
         */
        post: operations["endImpersonation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys that sign certificates, receipts and checkpoints of the log
         * @description Retired keys are included. The key of the log has `use: log`. No credential needed. Rate limit: 100 a minute per caller.
         */
        get: operations["listSigningKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/consistency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a proof that the log only grew between two sizes
         * @description No credential needed. Rate limit: 100 a minute per caller.
         */
        get: operations["getLogConsistency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the key of the log and its witnesses
         * @description A file of c2sp.org/tlog-policy. No credential needed. Rate limit: 100 a minute per caller.
         */
        get: operations["getLogPolicy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/proof/{record_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a proof that a record is in the log
         * @description For those who can read the record. The id of a decision gives the proof of its batch, whose root the receipt leads to. 409 not_yet_logged, with age_ms, until a published checkpoint holds the entry. No credential needed. Rate limit: 100 a minute per caller.
         */
        get: operations["getLogProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/scitt/{record_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a SCITT statement and receipt of a record
         * @description The same proof as COSE messages, signed by the key of the log, for verifiers of SCITT. For those who can read the record. No credential needed. Rate limit: 100 a minute per caller.
         */
        get: operations["getScittProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/on-chain/anchor-root": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Anchor a Merkle root on the chain
         * @description Answers once the transaction is mined. Roles: owner, admin; API keys with scope onchain. Rate limit: 10 a minute per caller.
         */
        post: operations["anchorRoot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/on-chain/anchors/{anchor_id}/proof/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a proof that an automatic anchor covers an agent
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getAnchorProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/on-chain/contracts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the chain and the addresses of the contracts
         * @description No credential needed. Rate limit: 60 a minute per caller.
         */
        get: operations["getContracts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/on-chain/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the anchors and publications of your organisation
         * @description Newest first. Automatic anchors are listed if they cover an agent of the organisation. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["listOnChainRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/on-chain/publish-scores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish scores on the chain in one transaction
         * @description Answers once the transaction is mined. Only scores that the service computed: the current one of each agent, or one of the last 24 hours. Roles: owner, admin; API keys with scope onchain. Rate limit: 10 a minute per caller.
         */
        post: operations["publishScores"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/on-chain/status/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what the chain holds about an agent
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["getOnChainStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/on-chain/verify-proof/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify the published score of an agent against the chain
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["verifyPublishedScore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your organisations
         * @description For any signed-in user. Rate limit: 60 a minute per caller.
         */
        get: operations["listOrgs"];
        put?: never;
        /**
         * Create an organisation
         * @description For any signed-in user. Rate limit: 30 a minute per caller.
         */
        post: operations["createOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation to your verified e-mail address
         * @description For any signed-in user. Rate limit: 10 a minute per caller.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an organisation
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getOrg"];
        put?: never;
        post?: never;
        /**
         * Delete an organisation
         * @description It can be restored for 30 days. Roles: owner; no API keys. Rate limit: 30 a minute per caller.
         */
        delete: operations["deleteOrg"];
        options?: never;
        head?: never;
        /**
         * Update an organisation
         * @description Roles: owner, admin; no API keys. Rate limit: 30 a minute per caller.
         */
        patch: operations["updateOrg"];
        trace?: never;
    };
    "/v1/orgs/{org_id}/agent-standings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents with their scores and what happened to them
         * @description Blocked calls and violations of a time range, and open drift alerts; without archived agents, unless `status` asks for them. An organisation of more than 10000 agents is compared by its newest. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["listAgentStandings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the agents of an organisation
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["listOrgAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/agents/{agent_id}/containment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the containment status of an agent
         * @description With the log of who paused, resumed, killed or reactivated it. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getContainment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/agents/{agent_id}/containment-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set how many consecutive boundary violations pause an agent
         * @description Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        put: operations["setContainmentPolicy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/agents/{agent_id}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Kill an agent
         * @description The gateway blocks its calls until an owner reactivates it. Roles: owner; no API keys. Rate limit: 30 a minute per caller.
         */
        post: operations["killAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/agents/{agent_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause an agent
         * @description The gateway blocks its calls until it is resumed. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["pauseAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/agents/{agent_id}/reactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reactivate a killed agent
         * @description The gateway decides its calls again. Roles: owner; no API keys. Rate limit: 30 a minute per caller.
         */
        post: operations["reactivateAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/agents/{agent_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused agent
         * @description The gateway decides its calls again. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["resumeAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of an organisation
         * @description Roles: owner, admin; no API keys. Rate limit: 60 a minute per caller.
         */
        get: operations["listOrgApiKeys"];
        put?: never;
        /**
         * Create an API key of an organisation
         * @description The secret is shown only once. Roles: owner, admin; no API keys. Rate limit: 30 a minute per caller.
         */
        post: operations["createOrgApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/api-keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key of an organisation
         * @description Roles: owner, admin; no API keys. Rate limit: 30 a minute per caller.
         */
        delete: operations["revokeOrgApiKey"];
        options?: never;
        head?: never;
        /**
         * Change the mode and the addresses of an API key of an organisation
         * @description Roles: owner, admin; no API keys. Rate limit: 30 a minute per caller.
         */
        patch: operations["updateOrgApiKey"];
        trace?: never;
    };
    "/v1/orgs/{org_id}/api-keys/{key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of an API key of an organisation
         * @description The new secret is shown only once. Roles: owner, admin; no API keys. Rate limit: 30 a minute per caller.
         */
        post: operations["rotateOrgApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/approval-channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the approval channels of an organisation
         * @description Roles: owner, admin; no API keys. Rate limit: 60 a minute per caller.
         */
        get: operations["getApprovalChannels"];
        /**
         * Set the approval channels of an organisation
         * @description The members and addresses that are notified of new escalations. An address that is missing or null is removed. Addresses must be https. Roles: owner, admin; no API keys. Rate limit: 30 a minute per caller.
         */
        put: operations["setApprovalChannels"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log of an organisation
         * @description Newest first. Roles: owner, admin, auditor; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/audit-log/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the audit log of an organisation as a file
         * @description Filters as in the list. Roles: owner, admin, auditor; API keys with scope read. Rate limit: 10 a minute per caller.
         */
        get: operations["exportAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/card-template": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the card template of an organisation
         * @description It is merged into the cards of its agents. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getCardTemplate"];
        /**
         * Replace the card template of an organisation
         * @description If-Match and If-None-Match prevent lost updates. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        put: operations["replaceCardTemplate"];
        post?: never;
        /**
         * Delete the card template of an organisation
         * @description Its agents are verified against their own cards again. Roles: owner; no API keys. Rate limit: 30 a minute per caller.
         */
        delete: operations["deleteCardTemplate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/coherence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the coherence of the agents of an organisation
         * @description Cached for 5 minutes. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["getFleetCoherence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/conscience-values": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the conscience values of an organisation
         * @description In their order, with the mode in which they apply. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listConscienceValues"];
        put?: never;
        /**
         * Create a conscience value
         * @description It is added to the end and applies immediately. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["createConscienceValue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/conscience-values/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes to conscience values
         * @description Newest first. Roles: owner, admin, auditor; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listConscienceValueChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/conscience-values/mode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the mode of the conscience values
         * @description Augment or replace the base values; enable or disable all values. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        put: operations["setConscienceMode"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/conscience-values/order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the order of the conscience values
         * @description Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        put: operations["reorderConscienceValues"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/conscience-values/{value_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a conscience value
         * @description Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        delete: operations["deleteConscienceValue"];
        options?: never;
        head?: never;
        /**
         * Update a conscience value
         * @description Or enable or disable it. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        patch: operations["updateConscienceValue"];
        trace?: never;
    };
    "/v1/orgs/{org_id}/evidence-pack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List evidence packs
         * @description Newest first, until they expire. Roles: owner, admin, auditor; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listEvidencePacks"];
        put?: never;
        /**
         * Request an evidence pack
         * @description A file with the records of a period, with proofs that none is missing. It is built in the background; 409 while another one is. Roles: owner, admin, auditor; API keys with scope read. Rate limit: 5 a minute per caller.
         */
        post: operations["requestEvidencePack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/evidence-pack/{pack_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of an evidence pack
         * @description Its progress, and its size and hash when it is ready. Roles: owner, admin, auditor; API keys with scope read. Rate limit: 300 a minute per caller.
         */
        get: operations["getEvidencePack"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/evidence-pack/{pack_id}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an evidence pack
         * @description 409 until it is ready. Roles: owner, admin, auditor; API keys with scope read. Rate limit: 10 a minute per caller.
         */
        get: operations["downloadEvidencePack"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the invitations of an organisation
         * @description Newest first. Roles: owner, admin; no API keys. Rate limit: 60 a minute per caller.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite a person to an organisation by e-mail
         * @description The e-mail has a token of its own, which also verifies the address of whoever signs up with it. Roles: owner, admin; no API keys. Rate limit: 30 a minute per caller.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/invitations/{invitation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an invitation
         * @description Roles: owner, admin; no API keys. Rate limit: 30 a minute per caller.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of an organisation
         * @description Owners first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member from an organisation
         * @description Name yourself to leave. Roles: owner, admin, auditor, member; no API keys. Rate limit: 30 a minute per caller.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description Roles: owner; no API keys. Rate limit: 30 a minute per caller.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/v1/orgs/{org_id}/model-usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the turns and tokens of all agents at their model providers
         * @description By hour or day, oldest first. By day at most 400 days, by default the last 30; by hour at most 90 days, by default the last 24 hours. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getOrgModelUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an organisation's plan and its usage this month
         * @description Roles: owner, admin, auditor; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getOrgPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the policy of an organisation
         * @description As JSON, or as YAML if Accept prefers it. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["getOrgPolicy"];
        /**
         * Replace the policy of an organisation
         * @description If-Match and If-None-Match prevent lost updates. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        put: operations["replaceOrgPolicy"];
        post?: never;
        /**
         * Delete the policy of an organisation
         * @description Its versions are kept. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        delete: operations["deleteOrgPolicy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/policy/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of the policy of an organisation
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["listOrgPolicyVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/policy/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a version of the policy of an organisation
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["getOrgPolicyVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get which steps of setting up an organisation are done
         * @description Roles: owner, admin, auditor; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getOrgSetup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/sso": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the single sign-on configuration
         * @description Roles: owner; no API keys. Rate limit: 60 a minute per caller.
         */
        get: operations["getSso"];
        /**
         * Configure single sign-on
         * @description The identity provider is tested first: the SAML metadata, or the discovery document of OpenID Connect. Roles: owner; no API keys. Rate limit: 30 a minute per caller.
         */
        put: operations["configureSso"];
        post?: never;
        /**
         * Remove the single sign-on configuration
         * @description Roles: owner; no API keys. Rate limit: 30 a minute per caller.
         */
        delete: operations["deleteSso"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/sso/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test an identity provider without storing it
         * @description Roles: owner; no API keys. Rate limit: 10 a minute per caller.
         */
        post: operations["testSso"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the live activity of an organisation
         * @description As server-sent events. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the teams of an organisation
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listTeams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an organisation's daily usage
         * @description Oldest first. Roles: owner, admin, auditor; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks of an organisation
         * @description Oldest first. Roles: owner, admin, auditor; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Its signing secret is shown only once. At most five per organisation. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/webhooks/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhook deliveries of an organisation
         * @description Newest first; kept for 30 days. Roles: owner, admin, auditor; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/webhooks/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook delivery with its payload and attempts
         * @description Roles: owner, admin, auditor; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/webhooks/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a finished delivery again
         * @description With the same bytes. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["redeliverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/webhooks/{endpoint_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Roles: owner, admin, auditor; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook and its deliveries
         * @description Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Update a webhook
         * @description Or enable or disable it. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v1/orgs/{org_id}/webhooks/{endpoint_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send all events since a time to a webhook again
         * @description Events are kept for 30 days. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/webhooks/{endpoint_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing secret of a webhook
         * @description The new secret is shown only once. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org_id}/webhooks/{endpoint_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event to a webhook
         * @description Returns the response of the endpoint. Roles: owner, admin; API keys with scope write. Rate limit: 10 a minute per caller.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/otlp/v1/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create checkpoints from OpenTelemetry log records
         * @description Events of the GenAI semantic conventions with the content of model calls. What is rejected or ignored is in partialSuccess. Roles: owner, admin, member; API keys with scope ingest. Rate limit: 600 a minute per caller.
         */
        post: operations["exportOtlpLogs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/otlp/v1/traces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create traces and checkpoints from OpenTelemetry spans
         * @description Spans that follow the GenAI semantic conventions, OpenInference or Langfuse. What is rejected or ignored is in partialSuccess. Roles: owner, admin, member; API keys with scope ingest. Rate limit: 600 a minute per caller.
         */
        post: operations["exportOtlpTraces"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the plans
         * @description No credential needed.
         */
        get: operations["listPlans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/evaluate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Evaluate tools against an agent's policy
         * @description The X-Policy-Verdict response header repeats the verdict. An evaluation with a key without the scope write, or by an auditor, is answered and not recorded: evaluation_id is null. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        post: operations["evaluatePolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/evaluate/historical": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Evaluate an agent's past traces against its policy
         * @description Or against a candidate policy in the body. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        post: operations["evaluatePolicyHistory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/impact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Assess the impact of a draft policy on past traces
         * @description Stores nothing. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        post: operations["assessPolicyImpact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/learn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Learn the least policy that allows what an agent did
         * @description From recorded decisions and traces. Stores nothing and puts nothing in force: read the policy, then store it with PUT /v1/agents/{agent_id}/policy. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 10 a minute per caller.
         */
        post: operations["learnPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate a policy without storing it
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        post: operations["validatePolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proof-programs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the programs that proofs attest to
         * @description Their ids can be reproduced from the source. No credential needed. Rate limit: 60 a minute per caller.
         */
        get: operations["listProofPrograms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reputation/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the scores of up to 50 agents
         * @description One for each distinct id. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        post: operations["listReputations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reputation/benchmarks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the distribution of the scores of public agents
         * @description Computed hourly. No credential needed. Rate limit: 30 a minute per caller.
         */
        get: operations["getBenchmarks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reputation/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare the scores of 2 to 10 agents
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["compareReputations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reputation/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search rated agents
         * @description Public ones, and unlisted ones of your organisation. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["searchReputations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reputation/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an agent's score
         * @description With its grade, components and uncertainty. No credential needed. Rate limit: 100 a minute per caller.
         */
        get: operations["getReputation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reputation/{agent_id}/badge.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a badge with an agent's score
         * @description As SVG. No credential needed. Rate limit: 300 a minute per caller.
         */
        get: operations["getBadge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reputation/{agent_id}/bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get everything needed to recompute and check a score
         * @description One JSON object per line. No credential needed. Rate limit: 30 a minute per caller.
         */
        get: operations["getReputationBundle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reputation/{agent_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an agent's weekly scores
         * @description Latest week first. No credential needed. Rate limit: 60 a minute per caller.
         */
        get: operations["getReputationHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reputation/{agent_id}/recompute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recompute an agent's score now
         * @description Roles: owner, admin, member; API keys with scope write. Rate limit: 10 a minute per caller.
         */
        post: operations["recomputeReputation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reputation/{agent_id}/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulate an agent's score after changes
         * @description Stores nothing. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        post: operations["simulateReputation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reputation/{agent_id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify the evidence behind a score
         * @description Recomputes the checkpoints since the last audit and a random sample of older ones from what is stored now. Requests within ten seconds share one result. No credential needed. Rate limit: 30 a minute per caller.
         */
        get: operations["verifyReputation"];
        put?: never;
        /**
         * Recompute all evidence of an agent in the background
         * @description One walk at a time: while one is under way, the answer shows that one. GET of the same path shows the result. Roles: owner, admin, auditor, member; API keys with scope write. Rate limit: 5 a minute per caller.
         */
        post: operations["auditReputation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/risk/assess": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Assess the risk of an action of an agent
         * @description Each request creates a new assessment. Roles: owner, admin, member; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        post: operations["assessRisk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/risk/assess/team": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Assess the risk of an action of 2 to 50 agents
         * @description Roles: owner, admin, member; API keys with scope write. Rate limit: 20 a minute per caller.
         */
        post: operations["assessTeamRisk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/risk/assessments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all risk assessments of your organisation
         * @description Of agents and of teams, newest first. Without those of teams of which a member was erased. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 100 a minute per caller.
         */
        get: operations["listAllRiskAssessments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/risk/assessments/{assessment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a risk assessment of your organisation
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 100 a minute per caller.
         */
        get: operations["getRiskAssessment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/risk/assessments/{assessment_id}/inputs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the inputs of a risk assessment
         * @description Only if all its agents belong to your organisation. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 100 a minute per caller.
         */
        get: operations["getRiskInputs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/risk/assessments/{assessment_id}/prove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request the proof of an assessment
         * @description 200 if there already is one. Roles: owner, admin, member; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["requestProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/risk/history/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your organisation's risk assessments of an agent
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 100 a minute per caller.
         */
        get: operations["listRiskAssessments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/risk/proofs/{proof_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the proof of an assessment
         * @description Its status, and its receipt once it is verified. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 100 a minute per caller.
         */
        get: operations["getProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/risk/proofs/{proof_id}/data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the bytes of a verified proof
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 100 a minute per caller.
         */
        get: operations["getProofData"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/risk/proofs/{proof_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a failed proof
         * @description Resets the number of attempts. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["retryProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/risk/team-assessments/{assessment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a team risk assessment of your organisation
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 100 a minute per caller.
         */
        get: operations["getTeamRiskAssessment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/risk/team-history/{team_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the risk assessments of a team of your organisation
         * @description Newest first. Without those of which a member was erased. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 100 a minute per caller.
         */
        get: operations["listTeamRiskAssessments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a team
         * @description A team has 2 to 50 agents of one organisation. Roles: owner, admin; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        post: operations["createTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/fault-lines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find the fault lines in a team
         * @description Values on which its members differ. Roles: owner, admin, member; API keys with scope write. Rate limit: 10 a minute per caller.
         */
        post: operations["analyseFaultLines"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/forecast": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forecast how a team can fail
         * @description By a language model if one is configured, else by rules. Roles: owner, admin, member; API keys with scope write. Rate limit: 10 a minute per caller.
         */
        post: operations["forecastTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/recommend-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recommend a policy for a team
         * @description From its latest fault lines; nothing is applied. Roles: owner, admin, member; API keys with scope write. Rate limit: 10 a minute per caller.
         */
        post: operations["recommendTeamPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a team and its members
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getTeam"];
        put?: never;
        post?: never;
        /**
         * Archive a team permanently
         * @description An archived team is read-only. Roles: owner, admin; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        delete: operations["archiveTeam"];
        options?: never;
        head?: never;
        /**
         * Update a team
         * @description Roles: owner, admin; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        patch: operations["updateTeam"];
        trace?: never;
    };
    "/v1/teams/{team_id}/badge.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a badge with a team's score
         * @description As SVG. No credential needed. Rate limit: 300 a minute per caller.
         */
        get: operations["getTeamBadge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/card": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the active card of a team
         * @description Null if it has none. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getTeamCard"];
        /**
         * Replace the card of a team
         * @description If-Match prevents lost updates. Roles: owner, admin; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        put: operations["replaceTeamCard"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/card/derive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Derive the card of a team from its members' cards
         * @description Roles: owner, admin; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        post: operations["deriveTeamCard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/card/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of the card of a team
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listTeamCardVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/intelligence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the analyses, forecasts and recommendations of a team
         * @description Newest first; kept for a year. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listIntelligence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/intelligence/{item_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an analysis, forecast or recommendation
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["getIntelligence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add agents to a team
         * @description Adds all of the agents, or none if the team would exceed 50. Roles: owner, admin; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        post: operations["addTeamMembers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/members/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an agent from a team
         * @description At least two agents must remain. Roles: owner, admin; API keys with scope write. Rate limit: 60 a minute per caller.
         */
        delete: operations["removeTeamMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the policy of a team
         * @description As JSON, or as YAML if Accept prefers it. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["getTeamPolicy"];
        /**
         * Replace the policy of a team
         * @description If-Match and If-None-Match prevent lost updates. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        put: operations["replaceTeamPolicy"];
        post?: never;
        /**
         * Delete the policy of a team
         * @description Its versions are kept. Roles: owner, admin; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        delete: operations["deleteTeamPolicy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/policy/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of the policy of a team
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["listTeamPolicyVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/policy/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a version of the policy of a team
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["getTeamPolicyVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/reputation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a team's score
         * @description With its grade and five components. No credential needed. Rate limit: 100 a minute per caller.
         */
        get: operations["getTeamReputation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/reputation/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a team's weekly scores
         * @description Latest week first. No credential needed. Rate limit: 100 a minute per caller.
         */
        get: operations["getTeamReputationHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/reputation/recompute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recompute a team's score now
         * @description Counts towards the usage of the plan. Roles: owner, admin; API keys with scope write. Rate limit: 10 a minute per caller.
         */
        post: operations["recomputeTeamReputation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/reputation/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify a team's score
         * @description Checks the evidence it was computed from. No credential needed. Rate limit: 100 a minute per caller.
         */
        get: operations["verifyTeamReputation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team_id}/roster-history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes to the members of a team
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 60 a minute per caller.
         */
        get: operations["listRosterChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/traces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the traces of your organisation
         * @description Newest first. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["listTraces"];
        put?: never;
        /**
         * Verify and store a trace
         * @description 200 if the trace is already stored. Roles: owner, admin, member; API keys with scope ingest. Rate limit: 600 a minute per caller.
         */
        post: operations["createTrace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/traces/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify and store up to 100 traces
         * @description One that is rejected does not stop the rest. Roles: owner, admin, member; API keys with scope ingest. Rate limit: 60 a minute per caller.
         */
        post: operations["createTraceBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/traces/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a trace without storing it
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        post: operations["verifyTrace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/traces/{trace_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a trace
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 120 a minute per caller.
         */
        get: operations["getTrace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the transactions of your organisation
         * @description Newest first, without their merged policies. Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["listTransactions"];
        put?: never;
        /**
         * Begin a transaction
         * @description Limits the agent to the listed tools until the transaction ends. Roles: owner, admin, member; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["createTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transactions/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a transaction
         * @description Roles: owner, admin, auditor, member; API keys with scope read. Rate limit: 30 a minute per caller.
         */
        get: operations["getTransaction"];
        put?: never;
        post?: never;
        /**
         * Delete a transaction
         * @description Whatever its status. Roles: owner, admin, member; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        delete: operations["deleteTransaction"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transactions/{transaction_id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete an active transaction
         * @description Roles: owner, admin, member; API keys with scope write. Rate limit: 30 a minute per caller.
         */
        post: operations["completeTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a certificate
         * @description Uses only the certificate and the published keys. No credential needed. Rate limit: 60 a minute per caller.
         */
        post: operations["verifyCertificate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/verify-proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify the receipt of a proof
         * @description Any receipt can be verified; nothing is stored. No credential needed. Rate limit: 10 a minute per address.
         */
        post: operations["verifyProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The organisation you joined */
        AcceptedInvitation: {
            org_id: string;
            org_name: string;
            role: components["schemas"]["InvitedRole"];
            personal_subscription_warning: string | null;
        };
        AcknowledgedDriftAlerts: {
            alerts: components["schemas"]["DriftAlert"][];
        };
        /** @enum {unknown} */
        ActorType: "user" | "api_key" | "system";
        /** @description The members of the team, and which were added */
        AddedTeamMembers: {
            added: string[];
            already_members: string[];
            members: components["schemas"]["TeamMember"][];
        };
        Agent: {
            agent_id: string;
            name: string;
            description: string | null;
            visibility: components["schemas"]["Visibility"];
            status: components["schemas"]["AgentStatus"];
            claimed: boolean;
            card_id: string;
            card_version: number;
            created_at: string;
            updated_at: string;
            org_id: string;
            owner_user_id: string | null;
            owner_email: string | null;
            claimed_at: string | null;
            enforcement_mode: components["schemas"]["EnforcementMode"];
            provider: string | null;
            model: string | null;
            metadata: {
                [key: string]: unknown;
            };
            last_seen_at: string | null;
        };
        AgentCard: {
            card_id: string;
            agent_id: string;
            version: number;
            is_active: boolean;
            card_json: components["schemas"]["AlignmentCard"];
            conscience_values?: unknown[];
            issued_at: string;
            created_at: string;
            created_by?: string;
        };
        /** @description The stored card, its version and its amendments */
        AgentCardChange: {
            updated: boolean;
            card_id: string;
            version: number;
            amendment_ids: string[];
            warnings: components["schemas"]["ValidationFinding"][];
            card: components["schemas"]["AlignmentCard"];
        };
        AgentCardPatch: {
            card_json?: components["schemas"]["AlignmentCard"];
            conscience_values?: unknown[];
            reason?: string;
        };
        AgentCardVersion: {
            version: number;
            card_id: string;
            is_active: boolean;
            issued_at: string;
            created_at: string;
            created_by: string;
            reason: string;
            changed_fields: string[];
        };
        AgentCardVersionPage: {
            versions: components["schemas"]["AgentCardVersion"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        AgentChanges: {
            name?: string;
            description?: string | null;
            visibility?: components["schemas"]["Visibility"];
            provider?: string | null;
            model?: string | null;
            /** @description at most 16 KB */
            metadata?: {
                [key: string]: unknown;
            };
        };
        AgentClaim: {
            hash_proof: string;
            email?: string;
        };
        AgentCoherence: {
            agent_id: string;
            mean_score: number;
            compatible_count: number;
            conflict_count: number;
            cluster_id: number;
            is_outlier: boolean;
        };
        AgentConscienceValue: {
            type: components["schemas"]["ConscienceType"];
            name: string;
            content: string;
            severity: components["schemas"]["ConscienceSeverity"] | null;
            source: components["schemas"]["ConscienceSource"];
        };
        /** @description The conscience values that apply to the agent */
        AgentConscienceValues: {
            agent_id: string;
            values: components["schemas"]["AgentConscienceValue"][];
        };
        /** @description When the agent will be erased */
        AgentErasure: {
            agent_id: string;
            purge_after: string;
        };
        AgentErasureRequest: {
            confirm: string;
        };
        AgentImpact: {
            agent_id: string;
            /** @description fail with the draft but not today */
            newly_failing: number;
            /** @description fail today but not with the draft */
            newly_passing: number;
            unchanged: number;
        };
        /** @description The counts of the checkpoints of the agent */
        AgentIntegrity: {
            agent_id: string;
            total_checks: number;
            analyzed_checks: number;
            clear_count: number;
            review_count: number;
            violation_count: number;
            integrity_ratio: number;
            latest_verdict: components["schemas"]["Verdict"] | null;
        };
        AgentPage: {
            agents: components["schemas"]["Agent"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        AgentStanding: {
            agent_id: string;
            name: string;
            visibility: components["schemas"]["Visibility"];
            status: components["schemas"]["AgentStatus"];
            enforcement_mode: components["schemas"]["EnforcementMode"];
            last_seen_at: string | null;
            created_at: string;
            updated_at: string;
            score: number | null;
            grade: components["schemas"]["Grade"];
            assurance: number | null;
            trend_30d: number;
            /** @description scores of the last 12 weeks, oldest first */
            weeks: number[];
            /** @description calls decided as block in the range */
            blocked: number;
            /** @description violations that occurred in the range, also reclassified ones */
            violations: number;
            /** @description drift alerts that are open now */
            drift_alerts: number;
        };
        AgentStandingPage: {
            agents: components["schemas"]["AgentStanding"][];
            totals: components["schemas"]["AgentStandingTotals"];
            from: string;
            to: string;
            /** @description true if only the newest 10000 agents of the organisation were compared */
            is_partial: boolean;
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        /** @description of all agents that match, not only of this page */
        AgentStandingTotals: {
            /** @description calls decided as block in the range */
            blocked: number;
            /** @description violations that occurred in the range, also reclassified ones */
            violations: number;
            /** @description drift alerts that are open now */
            drift_alerts: number;
        };
        /** @enum {unknown} */
        AgentStatus: "active" | "paused" | "killed" | "archived";
        /** @description The agent, with all fields only for its own organisation */
        AgentView: {
            agent_id?: string;
            name?: string;
            description?: string | null;
            visibility?: components["schemas"]["Visibility"];
            status?: components["schemas"]["AgentStatus"];
            claimed?: boolean;
            card_id?: string;
            card_version?: number;
            created_at?: string;
            updated_at?: string;
            org_id?: string;
            owner_user_id?: string | null;
            owner_email?: string | null;
            claimed_at?: string | null;
            enforcement_mode?: components["schemas"]["EnforcementMode"];
            provider?: string | null;
            model?: string | null;
            metadata?: {
                [key: string]: unknown;
            };
            last_seen_at?: string | null;
        };
        /** @description An alignment card, aap_version 0.5.0 or 0.1.0. */
        AlignmentCard: {
            [key: string]: unknown;
        };
        /** @description The card itself, or {card_json, conscience_values?, reason?}; as JSON or YAML, by Content-Type. */
        AlignmentCardSubmission: {
            [key: string]: unknown;
        };
        AnalysedCheckpoint: {
            checkpoint_id: string | null;
            agent_id: string;
            card_id: string;
            session_id: string;
            timestamp: string;
            created_at: string;
            received_at: string;
            /** @description how the service came to know the record */
            provenance: components["schemas"]["Provenance"];
            /** @description sorted */
            decision_ids: string[];
            /** @description 64 hexadecimal digits */
            thinking_block_hash: string;
            output_block_hash: string | null;
            provider: string;
            model: string;
            verdict: components["schemas"]["Verdict"];
            violation_type: string | null;
            concerns: components["schemas"]["Concern"][];
            reasoning_summary: string;
            conscience_context: {
                values_checked: string[];
                conflicts: string[];
                supports: string[];
                considerations: string[];
                consultation_depth: string;
            };
            window_position: {
                index: number;
                window_size: number;
            } | null;
            analysis_metadata: {
                analyzer: components["schemas"]["Analyzer"];
                analysis_model: string;
                template_version: string;
                analysis_duration_ms: number;
                /** @enum {unknown} */
                analysis_scope: "thinking_only" | "thinking_and_output";
                thinking_tokens_original: number;
                thinking_tokens_analyzed: number;
                truncated: boolean;
                output_tokens_original?: number;
                output_tokens_analyzed?: number;
                output_truncated?: boolean;
                /**
                 * @description the calls of the turn were released undecided, because the gateway failed
                 * @enum {boolean}
                 */
                ungoverned?: true;
                /**
                 * @description the provider did not show all of the thinking
                 * @enum {boolean}
                 */
                thinking_withheld?: true;
                extraction_confidence: number;
            };
            /** @description true: not judged, for the reason in synthetic_reason; the verdict clear means nothing then */
            synthetic: boolean;
            synthetic_reason: string | null;
            /** @description Why the checkpoint may say little; only the first two affect the score */
            flags: components["schemas"]["CheckpointFlag"][];
            excluded_from_score: boolean;
            cross_validation_warnings: string[];
            reclassification: components["schemas"]["ReclassifiedType"] | null;
            linked_trace_id: string | null;
        };
        /** @enum {unknown} */
        Analyzer: "llm" | "rules" | "none" | "gateway";
        Anchor: {
            anchor_id: string;
            merkle_root: string;
            leaf_count: number;
            tree_depth: number;
            tx_hash: string;
            block_number: number;
            gas_used: number;
            /** @enum {string} */
            chain: "base";
            anchored_at: string;
        };
        AnchorProof: {
            anchor_id: string;
            merkle_root: string;
            agent_id: string;
            /** @description SHA-256 of a zero byte and the leaf_preimage */
            leaf: string;
            /** @description agent_id|Merkle root|checkpoint count; for an anchor of the log, the entry of the newest checkpoint */
            leaf_preimage: string;
            siblings: components["schemas"]["AnchorSibling"][];
            /** @description hex; opens the entry of an anchor of the log, with the record */
            nonce?: string;
            /** @description the members hashed */
            record?: {
                [key: string]: unknown;
            };
        };
        AnchorSibling: {
            hash: string;
            /** @enum {unknown} */
            position: "left" | "right";
        };
        AnchorSummary: {
            anchor_id: string;
            merkle_root: string;
            leaf_count: number;
            tree_depth: number;
            tx_hash: string;
            block_number: number;
            anchored_at: string;
        };
        ApiKey: {
            key_id: string;
            name: string;
            org_id: string;
            key_prefix: string;
            role: components["schemas"]["ApiKeyRole"];
            scopes: components["schemas"]["Scope"][];
            client: components["schemas"]["ApiKeyClient"];
            mode: components["schemas"]["ApiKeyMode"];
            agent_id: string | null;
            /** @description addresses and ranges, such as 203.0.113.0/24, that the key can be used from; empty for any */
            allowed_ips: string[];
            created_by: string;
            created_at: string;
            expires_at: string | null;
            last_used_at: string | null;
            /** @description not used for 90 days */
            unused: boolean;
        };
        ApiKeyChanges: {
            mode?: components["schemas"]["ApiKeyMode"];
            /** @description addresses and ranges, such as 203.0.113.0/24, that the key can be used from; empty for any */
            allowed_ips?: string[];
        };
        /** @enum {unknown} */
        ApiKeyClient: "api" | "sdk" | "mcp_guard" | "hook";
        ApiKeyList: {
            keys: components["schemas"]["ApiKey"][];
        };
        /** @enum {unknown} */
        ApiKeyMode: "enforce" | "observe";
        /** @enum {unknown} */
        ApiKeyRole: "admin" | "auditor" | "member";
        ApiKeyRotation: {
            /**
             * @description how many hours the old secret keeps working
             * @default 0
             */
            grace_hours?: number;
        };
        /** @description The API key and its secret */
        ApiKeyWithSecret: {
            key_id: string;
            name: string;
            org_id: string;
            key_prefix: string;
            role: components["schemas"]["ApiKeyRole"];
            scopes: components["schemas"]["Scope"][];
            client: components["schemas"]["ApiKeyClient"];
            mode: components["schemas"]["ApiKeyMode"];
            agent_id: string | null;
            /** @description addresses and ranges, such as 203.0.113.0/24, that the key can be used from; empty for any */
            allowed_ips: string[];
            created_by: string;
            created_at: string;
            expires_at: string | null;
            last_used_at: string | null;
            /** @description not used for 90 days */
            unused: boolean;
            key: string | null;
        };
        Approval: {
            by: string;
            at: string;
            note: string | null;
        };
        ApprovalBlock: {
            required?: number;
            roles?: string[];
            scopes?: string[];
            expires_minutes?: number;
            local?: boolean;
        };
        ApprovalChannels: {
            email: string[];
            slack_webhook_url: string | null;
            teams_webhook_url: string | null;
        };
        ApprovalChannelsChange: {
            /** @description ids of the members who get an e-mail about each new escalation */
            email: string[];
            slack_webhook_url?: string | null;
            teams_webhook_url?: string | null;
        };
        /** @enum {unknown} */
        ApprovalScope: "call" | "session";
        /** @description The team is archived */
        ArchivedTeam: {
            /** @enum {boolean} */
            archived: true;
            team_id: string;
        };
        /** @enum {unknown} */
        AssessmentProofStatus: "none" | "pending" | "proving" | "verified" | "failed";
        /** @description Who saw the evidence of the last 90 days, over how long, and how much it says */
        Assurance: {
            /** @description 0 unverified, 1 recorded, 2 relayed, 3 observed, 4 witnessed */
            level: number;
            observed_share: number;
            relayed_share: number;
            /** @description UTC days with at least one effective checkpoint */
            days: number;
            /** @description from the first of these days to the last */
            span_days: number;
            /** @description of the last 90 days, without clear ones that say little */
            effective_checkpoints: number;
            limits: components["schemas"]["AssuranceLimit"][];
        };
        /** @enum {unknown} */
        AssuranceLimit: "SELF_REPORTED" | "SHORT_HISTORY" | "ONE_BURST" | "LOW_NOVELTY" | "UNTRACED" | "UNCLAIMED" | "UNWITNESSED";
        /** @enum {unknown} */
        AuditExportFormat: "ndjson" | "csv";
        AuditLogEntry: {
            id: string;
            org_id: string | null;
            action: string;
            actor: {
                type: components["schemas"]["ActorType"];
                id: string;
                impersonated_by: string | null;
            };
            target: {
                type: string;
                id: string;
            };
            changes: {
                [key: string]: components["schemas"]["FieldChange"];
            };
            ip: string | null;
            request_id: string | null;
            created_at: string;
        };
        AuditLogEntryPage: {
            entries: components["schemas"]["AuditLogEntry"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        /** @enum {unknown} */
        BadgeVariant: "score" | "score_tier" | "score_trend" | "compact" | "assurance";
        Benchmarks: {
            total_scored: number;
            mean_score: number;
            median_score: number;
            distribution: components["schemas"]["GradeShare"][];
            percentiles: {
                p10: number;
                p25: number;
                p50: number;
                p75: number;
                p90: number;
            };
            /** @description the number of agents at each assurance level, 0 to 4 */
            assurance_levels: {
                [key: string]: number;
            };
        };
        /** @description An access token; the session itself is in the cookie */
        BrowserSession: {
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description seconds */
            expires_in: number;
            user: components["schemas"]["User"];
        };
        CallOutcome: {
            status: components["schemas"]["CallOutcomeStatus"];
            reported_at: string;
            duration_ms: number | null;
            error: string | null;
            result_hash: string | null;
            /** @description the call was made although it was refused */
            bypassed: boolean;
        };
        /** @enum {unknown} */
        CallOutcomeStatus: "executed" | "failed" | "not_executed";
        CapabilityMapping: {
            description?: string;
            tools: string[];
            card_actions: string[];
        };
        CardAmendment: {
            amendment_id: string;
            agent_id: string;
            field_changed: string;
            previous_value: unknown;
            new_value: unknown;
            reason: string;
            linked_reclassification_id: string | null;
            created_at: string;
            from_version: number;
            to_version: number;
            created_by: string;
        };
        CardAmendmentPage: {
            card_amendments: components["schemas"]["CardAmendment"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        CardCoverage: {
            total_card_actions: number;
            mapped_card_actions: string[];
            unmapped_card_actions: string[];
            coverage_pct: number;
        };
        CardGap: {
            tool: string;
            capability: string;
            missing_card_actions: string[];
            reason: string;
        };
        CardTemplate: {
            org_id: string;
            enabled: boolean;
            template: {
                card_id: string;
                agent_id: string | null;
                is_active: boolean;
                card_json: components["schemas"]["CardTemplateJson"];
                conscience_values: components["schemas"]["ConscienceValueContent"][];
                issued_at: string;
            };
            created_by: string;
            updated_by: string;
            created_at: string;
            updated_at: string;
        };
        CardTemplateChange: {
            enabled: boolean;
            template: {
                card_json: components["schemas"]["CardTemplateJson"];
                /** @description at most 20 objects {type, name, content} */
                conscience_values?: unknown[];
                card_id?: string;
                agent_id?: string | null;
                /** @description ignored; same as enabled */
                is_active?: boolean;
                /**
                 * Format: date-time
                 * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                 */
                issued_at?: string;
            };
        };
        /** @description Whether the agent is exempt */
        CardTemplateExemption: {
            agent_id: string;
            exempt: boolean;
            reason: string | null;
            updated_at: string;
        };
        CardTemplateExemptionChange: {
            exempt: boolean;
            reason?: string | null;
        };
        /** @description A partial alignment card; card_id, agent_id, principal, issued_at and expires_at are ignored */
        CardTemplateJson: {
            [key: string]: unknown;
        };
        CardValidation: {
            valid: boolean;
            errors: components["schemas"]["ValidationFinding"][];
            warnings: components["schemas"]["ValidationFinding"][];
        };
        Certificate: {
            "@context": string;
            type: string;
            version: string;
            certificate_id: string;
            issued_at: string;
            timestamp: string;
            subject: {
                checkpoint_id: string;
                agent_id: string;
                session_id: string;
                card_id: string;
            };
            claims: {
                verdict: string;
                concerns: {
                    category: string;
                    severity: string;
                    description: string;
                }[];
                confidence: number;
                reasoning_summary: string;
                analyzer: string;
                analysis_model: string;
                analysis_duration_ms: number;
                synthetic: boolean;
            };
            input_commitments: {
                thinking_block_hash: string;
                output_block_hash: string | null;
                card_hash: string;
                values_hash: string;
                context_hash: string;
                model_version: string;
                template_version: string;
                combined_commitment: string;
            };
            proofs: {
                signature: {
                    algorithm: string;
                    key_id: string;
                    /** @description base64 */
                    value: string;
                    /** @description canonical JSON */
                    signed_payload: string;
                };
                chain: {
                    record_hash: string;
                    chain_hash: string;
                    prev_chain_hash: string | null;
                    position: number;
                };
                merkle: {
                    leaf_hash: string;
                    leaf_index: number;
                    root: string;
                    tree_size: number;
                    /** @description siblings from the leaf to the root */
                    inclusion_proof: components["schemas"]["MerkleSibling"][];
                } | null;
                verdict_derivation: null;
            };
            verification: {
                keys_url: string;
                certificate_url: string;
                verify_url: string;
            };
            log?: components["schemas"]["LogProof"];
        };
        CertificateToVerify: {
            /** @description An integrity certificate, as GET /v1/checkpoints/{id}/certificate gives it. */
            certificate: unknown;
        };
        CertificateVerification: {
            /** @description true if every check that is not null passes */
            valid: boolean;
            checks: {
                signature: {
                    valid: boolean;
                    key_id: string;
                };
                record: {
                    valid: boolean;
                    record_hash: string;
                };
                chain: {
                    valid: boolean;
                    chain_hash: string;
                };
                merkle: {
                    valid: boolean;
                    root: string;
                } | null;
                input_commitment: {
                    valid: boolean;
                    commitment: string;
                };
                /** @description of a certificate with a proof of the log */
                log?: {
                    valid: boolean;
                    index: number;
                    cosigned_by: string[] | null;
                };
                verdict_derivation: null;
            };
            /** @description for each check, ok or the reason it failed, joined by "; " */
            details: string;
        };
        /** @description The old and the new role of the member */
        ChangedRole: {
            org_id: string;
            user_id: string;
            old_role: components["schemas"]["Role"];
            new_role: components["schemas"]["Role"];
        };
        Checkpoint: {
            checkpoint_id: string;
            agent_id: string;
            card_id: string;
            session_id: string;
            timestamp: string;
            created_at: string;
            received_at: string;
            /** @description how the service came to know the record */
            provenance: components["schemas"]["Provenance"];
            /** @description sorted */
            decision_ids: string[];
            /** @description 64 hexadecimal digits */
            thinking_block_hash: string;
            output_block_hash: string | null;
            provider: string;
            model: string;
            verdict: components["schemas"]["Verdict"];
            violation_type: string | null;
            concerns: components["schemas"]["Concern"][];
            reasoning_summary: string;
            conscience_context: {
                values_checked: string[];
                conflicts: string[];
                supports: string[];
                considerations: string[];
                consultation_depth: string;
            };
            window_position: {
                index: number;
                window_size: number;
            } | null;
            analysis_metadata: {
                analyzer: components["schemas"]["Analyzer"];
                analysis_model: string;
                template_version: string;
                analysis_duration_ms: number;
                /** @enum {unknown} */
                analysis_scope: "thinking_only" | "thinking_and_output";
                thinking_tokens_original: number;
                thinking_tokens_analyzed: number;
                truncated: boolean;
                output_tokens_original?: number;
                output_tokens_analyzed?: number;
                output_truncated?: boolean;
                /**
                 * @description the calls of the turn were released undecided, because the gateway failed
                 * @enum {boolean}
                 */
                ungoverned?: true;
                /**
                 * @description the provider did not show all of the thinking
                 * @enum {boolean}
                 */
                thinking_withheld?: true;
                extraction_confidence: number;
            };
            /** @description true: not judged, for the reason in synthetic_reason; the verdict clear means nothing then */
            synthetic: boolean;
            synthetic_reason: string | null;
            /** @description Why the checkpoint may say little; only the first two affect the score */
            flags: components["schemas"]["CheckpointFlag"][];
            excluded_from_score: boolean;
            cross_validation_warnings: string[];
            reclassification: components["schemas"]["ReclassifiedType"] | null;
            linked_trace_id: string | null;
            log_index: number | null;
        };
        CheckpointBatchItem: {
            index: number;
            /** @enum {unknown} */
            status: "created" | "duplicate" | "rejected";
            checkpoint_id?: string;
            verdict?: components["schemas"]["Verdict"];
            proceed?: boolean;
            /** @description true if it was not judged */
            synthetic?: boolean;
            error?: string;
            message?: string;
        };
        CheckpointBatchResult: {
            results: components["schemas"]["CheckpointBatchItem"][];
            accepted: number;
            duplicates: number;
            rejected: number;
        };
        /** @enum {unknown} */
        CheckpointFlag: "uniform_timing" | "identical_content" | "low_novelty" | "word_salad" | "burst";
        CheckpointPage: {
            checkpoints: components["schemas"]["Checkpoint"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        /** @description The checkpoint, the recommended action and the state of the session window */
        CheckpointResult: {
            checkpoint: components["schemas"]["AnalysedCheckpoint"];
            proceed: boolean;
            recommended_action: components["schemas"]["RecommendedAction"];
            duplicate: boolean;
            enforcement: {
                mode: components["schemas"]["EnforcementMode"];
                /** @enum {unknown} */
                action: "none" | "nudge" | "block";
                message: string | null;
            };
            window_summary: {
                size: number;
                max_size: number;
                verdicts: components["schemas"]["VerdictCounts"];
                integrity_ratio: number;
                drift_alert_active: boolean;
            };
            attestation: {
                /** @description 64 hexadecimal digits */
                chain_hash: string;
                position: number;
                leaf_index: number | null;
                certificate_id: string;
            } | null;
        };
        /** @description The agent is claimed */
        ClaimedAgent: {
            /** @enum {boolean} */
            claimed: true;
            agent_id: string;
            claimed_at: string | null;
        };
        /** @description The coherence of the two agents */
        Coherence: {
            agent_a: string;
            agent_b: string;
            score: number;
            compatible: boolean;
            value_alignment: {
                matched: string[];
                unmatched: string[];
                conflicts: {
                    declared_by: string;
                    opposed_by: string;
                    value: string;
                }[];
            };
            checked_at: string;
        };
        CoherenceCheck: {
            agent_a: string;
            agent_b: string;
            required_values?: string[];
        };
        CoherenceCluster: {
            cluster_id: number;
            agent_ids: string[];
            internal_coherence: number;
            shared_values: string[];
            distinguishing_values: string[];
        };
        CoherenceOutlier: {
            agent_id: string;
            agent_mean_score: number;
            fleet_mean_score: number;
            deviation: number;
            primary_conflicts: string[];
        };
        CoherencePair: {
            agent_a: string;
            agent_b: string;
            score: number;
            compatible: boolean;
            matched: number;
            conflicts: number;
        };
        ComparedReputation: {
            agent_id: string;
            score: number | null;
            grade: components["schemas"]["Grade"];
            assurance: number | null;
            assured_score: number | null;
            components: components["schemas"]["ComponentScores"];
        };
        ComplianceExport: {
            agent_id: string;
            export_date: string;
            violations: components["schemas"]["Violation"][];
            reclassifications: components["schemas"]["Reclassification"][];
            card_amendments: components["schemas"]["CardAmendment"][];
            score_history: components["schemas"]["ExportedScore"][];
            integrity_chain_valid: boolean;
        };
        ComponentHistory: {
            integrity_ratio: number | null;
            compliance: number | null;
            drift_stability: number | null;
            trace_completeness: number | null;
            coherence_compatibility: number | null;
        };
        ComponentScores: {
            integrity_ratio: number | null;
            compliance: number | null;
            drift_stability: number | null;
            trace_completeness: number | null;
            coherence_compatibility: number | null;
        };
        Concern: {
            category: components["schemas"]["ConcernCategory"];
            severity: components["schemas"]["Severity"];
            description: string;
            evidence: string;
            relevant_card_field: string | null;
            relevant_conscience_value: string | null;
            subject?: components["schemas"]["ConcernSubject"] | null;
        };
        /** @enum {unknown} */
        ConcernCategory: "prompt_injection" | "value_misalignment" | "autonomy_violation" | "reasoning_corruption" | "deceptive_reasoning" | "undeclared_intent" | "output_misalignment" | "output_injection_compliance";
        /** @description the action or value that the concern is about; not attested */
        ConcernSubject: {
            /** @enum {unknown} */
            kind: "declared_action" | "mentioned_action" | "value" | "conscience_value" | "trigger" | "limit";
            name: string;
            amount?: number | null;
            action?: string | null;
        };
        /** @enum {unknown} */
        Confidence: "insufficient" | "low" | "medium" | "high";
        /** @enum {unknown} */
        ConnectionMode: "enforce" | "observe";
        /** @enum {unknown} */
        ConscienceAction: "create" | "update" | "activate" | "deactivate" | "delete" | "reorder" | "mode_change";
        /** @enum {unknown} */
        ConscienceMode: "augment" | "replace";
        ConscienceOrder: {
            /** @description the ids of all values, each once */
            order: string[];
        };
        ConscienceSettings: {
            org_id: string;
            /** @description augment adds to the base values; replace omits them */
            mode: components["schemas"]["ConscienceMode"];
            enabled: boolean;
        };
        ConscienceSettingsChange: {
            /** @description augment adds to the base values; replace omits them */
            mode?: components["schemas"]["ConscienceMode"];
            enabled?: boolean;
        };
        /** @enum {unknown} */
        ConscienceSeverity: "advisory" | "mandatory";
        /** @enum {unknown} */
        ConscienceSource: "base" | "org" | "template" | "agent";
        /** @enum {unknown} */
        ConscienceType: "BOUNDARY" | "FEAR" | "COMMITMENT" | "BELIEF" | "HOPE";
        ConscienceValue: {
            id: string;
            org_id: string;
            name: string;
            description: string;
            type: components["schemas"]["ConscienceType"];
            /** @description mandatory is treated as BOUNDARY whatever the type; an advisory BOUNDARY as FEAR */
            severity: components["schemas"]["ConscienceSeverity"];
            is_active: boolean;
            sort_order: number;
            created_by: string;
            updated_by: string;
            created_at: string;
            updated_at: string;
        };
        ConscienceValueChangePage: {
            org_id: string;
            entries: components["schemas"]["ConscienceValueLogEntry"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        ConscienceValueChanges: {
            /** @description unique in the organisation; case is ignored */
            name?: string;
            /** @description the text of the value, which agents are checked against */
            description?: string;
            type?: components["schemas"]["ConscienceType"];
            /** @description mandatory is treated as BOUNDARY whatever the type; an advisory BOUNDARY as FEAR */
            severity?: components["schemas"]["ConscienceSeverity"];
            is_active?: boolean;
        };
        ConscienceValueContent: {
            type: components["schemas"]["ConscienceType"];
            name: string;
            content: string;
        };
        ConscienceValueLogEntry: {
            id: string;
            org_id: string;
            action: components["schemas"]["ConscienceAction"];
            /** @description a user id or an API key id */
            actor: string;
            value_id: string | null;
            changes: {
                [key: string]: components["schemas"]["FieldChange"];
            };
            metadata: {
                [key: string]: unknown;
            };
            created_at: string;
        };
        ConscienceValueSet: {
            org_id: string;
            /** @description augment adds to the base values; replace omits them */
            mode: components["schemas"]["ConscienceMode"];
            enabled: boolean;
            values: components["schemas"]["ConscienceValue"][];
        };
        ConsistencyProof: {
            first: number;
            second: number;
            first_root: string;
            second_root: string;
            /** @description hashes in hex, by RFC 6962 §2.1.2 */
            proof: string[];
        };
        /** @description Your role or the scope of your key does not allow this, or the agent is paused or killed */
        ContainedDecision: {
            error: string;
            message: string;
            /** @enum {string} */
            type?: "containment_error";
            /** @enum {unknown} */
            reason?: "agent_paused" | "agent_killed";
            agent_id?: string;
            /** @enum {unknown} */
            containment_status?: "paused" | "killed";
            contained_at?: string;
            /** @enum {string} */
            decision?: "block";
            decision_id?: string;
            receipt?: components["schemas"]["DecisionReceipt"];
        };
        /** @description The containment status and its log */
        Containment: {
            agent_id: string;
            status: components["schemas"]["ContainmentStatus"];
            contained_at: string | null;
            contained_by: string | null;
            containment_reason: string | null;
            auto_containment_threshold: number | null;
            /** @description the last 50, newest first */
            log: components["schemas"]["ContainmentLogEntry"][];
        };
        /** @enum {unknown} */
        ContainmentAction: "pause" | "auto_pause" | "resume" | "kill" | "reactivate";
        ContainmentLogEntry: {
            id: string;
            action: components["schemas"]["ContainmentAction"];
            /** @description a user, a key, or system */
            actor: string;
            reason: string | null;
            previous_status: components["schemas"]["ContainmentStatus"];
            new_status: components["schemas"]["ContainmentStatus"];
            created_at: string;
            /** @description entry_hash of the previous entry; 64 zeros for the first */
            prev_hash: string;
            /** @description SHA-256 of prev_hash, a line feed and the RFC 8785 JSON of the entry without its hashes */
            entry_hash: string;
        };
        ContainmentPolicy: {
            agent_id: string;
            auto_containment_threshold: number | null;
        };
        ContainmentPolicyChange: {
            auto_containment_threshold: number | null;
        };
        /** @description Your role or the scope of your key does not allow this, or the agent is paused or killed */
        ContainmentProblem: {
            error: string;
            message: string;
            /** @enum {string} */
            type?: "containment_error";
            /** @enum {unknown} */
            reason?: "agent_paused" | "agent_killed";
            agent_id?: string;
            /** @enum {unknown} */
            containment_status?: "paused" | "killed";
            contained_at?: string;
        };
        ContainmentRequest: {
            reason?: string | null;
        };
        /** @description The new containment status */
        ContainmentResult: {
            agent_id: string;
            containment_status: components["schemas"]["ContainmentStatus"];
            contained_at: string | null;
            contained_by: string | null;
            containment_reason: string | null;
        };
        /** @enum {unknown} */
        ContainmentStatus: "active" | "paused" | "killed";
        Contracts: {
            /** @enum {string} */
            chain: "base";
            chain_id: number;
            /** @enum {unknown} */
            mode: "embedded" | "rpc";
            merkle_anchor: string;
            reputation_registry: string;
            relayer: string;
        };
        /** @enum {unknown} */
        ControlFramework: "eu_ai_act" | "iso_42001" | "soc2" | "owasp_agentic" | "nist_ai_rmf";
        /** @enum {unknown} */
        CoordinationMode: "parallel" | "sequential" | "hierarchical" | "consensus";
        /** @enum {unknown} */
        CredentialKind: "pass_through" | "sealed";
        Decision: {
            decision_id: string;
            /** @description allow and warn: the tool may be called */
            decision: components["schemas"]["DecisionOutcome"];
            reasons: components["schemas"]["DecisionReason"][];
            verdict: components["schemas"]["PolicyVerdict"] | null;
            enforcement_mode: components["schemas"]["PolicyMode"] | null;
            agent_enforcement_mode: components["schemas"]["EnforcementMode"];
            policy_id: string | null;
            policy_version: number | null;
            transaction_id: string | null;
            escalation_id: string | null;
            notices: components["schemas"]["Nudge"][];
            decided_at: string;
            /** @description the time to decide, without signing and storing */
            duration_ms: number;
            /**
             * @description present if the database is down; the decision is stored when it is up
             * @enum {boolean}
             */
            recorded?: false;
            receipt: components["schemas"]["DecisionReceipt"];
        };
        /** @description The place of the decision in its batch; absent from receipts of version 1 */
        DecisionBatch: {
            at: string;
            /** @description hex; the RFC 6962 root over the statements */
            root: string;
            /** @description the number of decisions that were signed together */
            size: number;
            index: number;
            /** @description from the statement to the root */
            path: {
                hash: string;
                /** @enum {unknown} */
                position: "left" | "right";
            }[];
        };
        DecisionDurations: {
            p50: number | null;
            p99: number | null;
        };
        /** @enum {unknown} */
        DecisionExportFormat: "ndjson" | "csv";
        /** @enum {unknown} */
        DecisionOutcome: "allow" | "warn" | "escalate" | "block";
        /** @enum {unknown} */
        DecisionOutcomeFilter: "executed" | "failed" | "not_executed" | "none" | "bypassed";
        DecisionOutcomeReport: {
            decision_id: string;
            status: components["schemas"]["CallOutcomeStatus"];
            /** @description how long the call took */
            duration_ms?: number;
            /** @description the message of a failed call */
            error?: string;
            /** @description SHA-256 of the result, in hex */
            result_hash?: string;
        };
        DecisionReason: {
            code: string;
            /** @enum {unknown} */
            source: "containment" | "integrity" | "transaction" | "policy" | "system";
            tool: string;
            message: string;
            severity: components["schemas"]["Severity"] | null;
        };
        /** @description Proof of the decision, which can be verified with only the published keys */
        DecisionReceipt: {
            statement: {
                /** @enum {string} */
                "@context": "urn:touchstone:decision-receipt:v1";
                decision_id: string;
                /** @description allow and warn: the tool may be called */
                decision: components["schemas"]["DecisionOutcome"];
                agent_id: string;
                tool: string;
                arguments_hash: string | null;
                policy_id: string | null;
                policy_version: number | null;
                transaction_id: string | null;
                escalation_id: string | null;
                decided_at: string;
            };
            batch?: components["schemas"]["DecisionBatch"];
            signature: {
                /** @enum {string} */
                algorithm: "Ed25519";
                /** @description one of GET /v1/keys */
                key_id: string;
                /** @description base64, over the canonical JSON of {at, root, size, type: "touchstone.decisions", v: 2} or, in version 1, of the statement */
                value: string;
            };
        };
        DecisionRecord: {
            decision_id: string;
            org_id: string;
            agent_id: string;
            session_id: string | null;
            call_id: string | null;
            tool: string;
            arguments_hash: string | null;
            /** @description allow and warn: the tool may be called */
            decision: components["schemas"]["DecisionOutcome"];
            reasons: components["schemas"]["DecisionReason"][];
            verdict: components["schemas"]["PolicyVerdict"] | null;
            enforcement_mode: components["schemas"]["PolicyMode"] | null;
            agent_enforcement_mode: components["schemas"]["EnforcementMode"];
            policy_id: string | null;
            policy_version: number | null;
            transaction_id: string | null;
            escalation_id: string | null;
            decided_at: string;
            /** @description the time to decide, without signing and storing */
            duration_ms: number;
            /** @description false if the client only records decisions */
            enforced: boolean;
            source: components["schemas"]["DecisionSource"];
            client: string | null;
            receipt: components["schemas"]["DecisionReceipt"];
            /** @description null if it was not reported; if enforced is true, a blocked call was then stopped before it ran, and an escalated one held */
            outcome: components["schemas"]["CallOutcome"] | null;
            log_index: number | null;
        };
        DecisionRecordList: {
            decisions: components["schemas"]["DecisionRecord"][];
            next_cursor: string | null;
        };
        DecisionResult: {
            /** @description the HTTP status of the answer to this call alone */
            status: number;
            body: components["schemas"]["Decision"] | components["schemas"]["ContainedDecision"] | components["schemas"]["Problem"];
        };
        /** @enum {unknown} */
        DecisionSource: "api" | "sdk" | "mcp_guard" | "hook" | "model_gateway";
        DecisionStats: {
            interval: components["schemas"]["StatsInterval"];
            buckets: components["schemas"]["DecisionStatsBucket"][];
            /** @description the sums of the buckets: the 20 most frequent keys, all others as `other`, and with them a tool or agent that has this name */
            totals: {
                [key: string]: number;
            };
            duration_ms: components["schemas"]["DecisionDurations"];
        };
        DecisionStatsBucket: {
            start: string;
            counts: {
                [key: string]: number;
            };
            duration_ms: components["schemas"]["DecisionDurations"];
        };
        Decisions: {
            /** @description in the order of the calls */
            results: components["schemas"]["DecisionResult"][];
        };
        /** @description The account is deleted */
        DeletedAccount: {
            /** @enum {boolean} */
            success: true;
        };
        /** @description The card template is deleted */
        DeletedCardTemplate: {
            /** @enum {boolean} */
            deleted: true;
        };
        /** @description The conscience value is deleted */
        DeletedConscienceValue: {
            /** @enum {boolean} */
            deleted: true;
            id: string;
        };
        /** @description The organisation is deleted */
        DeletedOrg: {
            /** @enum {boolean} */
            deleted: true;
        };
        /** @description The webhook is deleted */
        DeletedWebhook: {
            /** @enum {boolean} */
            deleted: true;
            endpoint_id: string;
        };
        /** @enum {unknown} */
        DeliveryStatus: "pending" | "delivering" | "retrying" | "delivered" | "failed";
        DerivedTeamCard: {
            derived_card: components["schemas"]["TeamCardJson"];
            /** @enum {string} */
            card_source: "auto_derived";
            member_count: number;
            members_with_cards: number;
            version: number | null;
            changed: boolean;
            dropped_conflicts: string[];
        };
        DirectoryEntry: {
            agent_id: string;
            agent_name: string;
            score: number;
            grade: components["schemas"]["RatedGrade"];
            tier: string;
            confidence: components["schemas"]["Confidence"];
            checkpoint_count: number;
            trend_30d: number;
            assurance: number | null;
            assured_score: number | null;
            /** @enum {unknown} */
            visibility: "public" | "unlisted";
            claimed: boolean;
            reclassified: components["schemas"]["ReclassifiedViolations"];
        };
        DirectoryEntryPage: {
            agents: components["schemas"]["DirectoryEntry"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        /** @enum {unknown} */
        DirectorySort: "score" | "name" | "trend" | "checkpoints" | "assurance";
        DriftAcknowledgement: {
            alert_ids: string[];
        };
        DriftAlert: {
            alert_id: string;
            agent_id: string;
            kind: components["schemas"]["DriftKind"];
            session_id: string;
            card_id: string;
            status: components["schemas"]["DriftStatus"];
            severity: components["schemas"]["DriftSeverity"];
            similarity: number;
            /** @description integrity: 3 in a row; trace: a similarity of 0.30 */
            threshold: number;
            sustained: number;
            drift_direction: string;
            checkpoint_ids: string[];
            trace_ids: string[];
            message: string;
            detected_at: string;
            resolved_at: string | null;
            resolution: components["schemas"]["DriftResolution"] | null;
            acknowledged_by: string | null;
        };
        DriftAlertPage: {
            alerts: components["schemas"]["DriftAlert"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        /** @enum {unknown} */
        DriftKind: "integrity" | "trace";
        /** @enum {unknown} */
        DriftResolution: "acknowledged" | "recovered";
        /** @enum {unknown} */
        DriftSeverity: "low" | "medium" | "high";
        /** @enum {unknown} */
        DriftStatus: "open" | "resolved";
        EffectivePolicy: {
            id: string;
            version: number;
            meta: components["schemas"]["PolicyMeta"];
            capability_mappings: {
                [key: string]: components["schemas"]["CapabilityMapping"];
            };
            forbidden: components["schemas"]["ForbiddenRule"][];
            escalation_triggers: components["schemas"]["EscalationTrigger"][];
            limits?: components["schemas"]["PolicyLimit"][];
            flows?: components["schemas"]["PolicyFlow"][];
            model_limits?: components["schemas"]["ModelLimit"][];
            defaults: components["schemas"]["PolicyDefaults"];
        };
        /** @description The impersonation session has ended */
        EndedImpersonation: {
            /** @enum {boolean} */
            ended: true;
            session_id: string;
        };
        /** @description The number of sessions that ended */
        EndedSessions: {
            ended: number;
        };
        /** @description The enforcement mode of the agent */
        Enforcement: {
            agent_id: string;
            enforcement_mode: components["schemas"]["EnforcementMode"];
            nudge_strategy: components["schemas"]["NudgeStrategy"];
            nudge_rate: number;
            nudge_threshold: number;
        };
        EnforcementChange: {
            mode: components["schemas"]["EnforcementMode"];
            /**
             * @description which checkpoints with a verdict other than clear the gateway reports to the agent
             * @default always
             */
            nudge_strategy?: components["schemas"]["NudgeStrategy"];
            /**
             * @description for sampling: the percentage to report
             * @default 100
             */
            nudge_rate?: number;
            /**
             * @description for threshold: the first one of a session to report
             * @default 3
             */
            nudge_threshold?: number;
        };
        /** @enum {unknown} */
        EnforcementMode: "observe" | "nudge" | "enforce";
        /** @description A secret that counts once a code of it was confirmed */
        EnrolledSecondFactor: {
            /** @description in Base32, for typing into an app */
            secret: string;
            /** @description for a QR code */
            otpauth_uri: string;
        };
        Escalation: {
            escalation_id: string;
            agent_id: string;
            tool: string;
            session_id: string | null;
            arguments_hash: string | null;
            /** @description false if the call has no arguments, with ESCALATION_ARGUMENTS=off, and from 24 hours after the end */
            arguments_stored: boolean;
            /** @description true if only the first 32 KB are stored */
            arguments_truncated: boolean;
            justification: string | null;
            transaction_id: string | null;
            decision_id: string | null;
            requested_by: string | null;
            reason: string;
            rule: {
                condition: string;
                reason: string;
            } | null;
            approvals_required: number;
            /** @description the roles that can resolve it */
            approval_roles: components["schemas"]["Role"][];
            /** @description the policy lets the user of a coding agent answer in that client */
            local: boolean;
            /** @description the scopes that the policy allows */
            approval_scopes: components["schemas"]["ApprovalScope"][];
            approvals: components["schemas"]["Approval"][];
            status: components["schemas"]["EscalationStatus"];
            created_at: string;
            /** @description when it can no longer be resolved */
            expires_at: string;
            resolved_by: string | null;
            resolved_at: string | null;
            note: string | null;
            scope: components["schemas"]["ApprovalScope"] | null;
            valid_until: string | null;
            uses_left: number | null;
            used_at: string | null;
            /** @description the page where a person can resolve it */
            approve_url: string;
        };
        EscalationDetail: {
            escalation_id: string;
            agent_id: string;
            tool: string;
            session_id: string | null;
            arguments_hash: string | null;
            /** @description false if the call has no arguments, with ESCALATION_ARGUMENTS=off, and from 24 hours after the end */
            arguments_stored: boolean;
            /** @description true if only the first 32 KB are stored */
            arguments_truncated: boolean;
            justification: string | null;
            transaction_id: string | null;
            decision_id: string | null;
            requested_by: string | null;
            reason: string;
            rule: {
                condition: string;
                reason: string;
            } | null;
            approvals_required: number;
            /** @description the roles that can resolve it */
            approval_roles: components["schemas"]["Role"][];
            /** @description the policy lets the user of a coding agent answer in that client */
            local: boolean;
            /** @description the scopes that the policy allows */
            approval_scopes: components["schemas"]["ApprovalScope"][];
            approvals: components["schemas"]["Approval"][];
            status: components["schemas"]["EscalationStatus"];
            created_at: string;
            /** @description when it can no longer be resolved */
            expires_at: string;
            resolved_by: string | null;
            resolved_at: string | null;
            note: string | null;
            scope: components["schemas"]["ApprovalScope"] | null;
            valid_until: string | null;
            uses_left: number | null;
            used_at: string | null;
            /** @description the page where a person can resolve it */
            approve_url: string;
            /** @description only for callers who can resolve it; the beginning of the JSON text if arguments_truncated, else an object; null if not stored or not for you */
            arguments: {
                [key: string]: unknown;
            } | string | null;
        };
        EscalationPage: {
            escalations: components["schemas"]["Escalation"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        EscalationResolution: {
            /** @enum {unknown} */
            outcome: "approve" | "reject";
            note?: string;
            /** @description call (default): this call, once; session: every call of the tool in the session, at most 100, if the policy allows it */
            scope?: components["schemas"]["ApprovalScope"];
            /** @description how long the approval can be used; default 15 */
            ttl_minutes?: number;
        };
        /** @enum {unknown} */
        EscalationStatus: "pending" | "approved" | "rejected" | "expired";
        EscalationTrigger: {
            condition: string;
            action: string;
            reason: string;
            severity?: string;
            approval?: components["schemas"]["ApprovalBlock"];
        };
        /** @enum {unknown} */
        EvaluationContext: "gateway" | "runtime" | "audit";
        /** @enum {unknown} */
        EventSubscription: "integrity.checkpoint" | "integrity.violation" | "drift.detected" | "drift.resolved" | "conscience.escalation" | "conscience.values_updated" | "agent.paused" | "agent.resumed" | "agent.killed" | "trace.created" | "trace.verified" | "trace.failed" | "trace.escalation_required" | "policy.violation" | "reputation.score_changed" | "reputation.grade_changed" | "team.created" | "team.archived" | "team.member_added" | "team.member_removed" | "team.card_updated" | "team_reputation.score_changed" | "team_reputation.grade_changed" | "quota.team_reputation_warning" | "quota.team_reputation_exceeded" | "quota.warning" | "quota.exceeded" | "subscription.status_changed" | "decision.blocked" | "decision.escalated" | "decision.bypassed" | "escalation.resolved" | "log.unwitnessed" | "*" | "integrity.*" | "drift.*" | "conscience.*" | "agent.*" | "trace.*" | "policy.*" | "reputation.*" | "team.*" | "team_reputation.*" | "quota.*" | "subscription.*" | "decision.*" | "escalation.*" | "log.*";
        /** @enum {unknown} */
        EventType: "integrity.checkpoint" | "integrity.violation" | "drift.detected" | "drift.resolved" | "conscience.escalation" | "conscience.values_updated" | "agent.paused" | "agent.resumed" | "agent.killed" | "trace.created" | "trace.verified" | "trace.failed" | "trace.escalation_required" | "policy.violation" | "reputation.score_changed" | "reputation.grade_changed" | "team.created" | "team.archived" | "team.member_added" | "team.member_removed" | "team.card_updated" | "team_reputation.score_changed" | "team_reputation.grade_changed" | "quota.team_reputation_warning" | "quota.team_reputation_exceeded" | "quota.warning" | "quota.exceeded" | "subscription.status_changed" | "decision.blocked" | "decision.escalated" | "decision.bypassed" | "escalation.resolved" | "log.unwitnessed" | "webhook.test";
        EvidencePack: {
            pack_id: string;
            from: string;
            to: string;
            frameworks: components["schemas"]["ControlFramework"][];
            status: components["schemas"]["EvidencePackStatus"];
            /** @description percent */
            progress: number;
            bytes: number | null;
            sha256: string | null;
            error: string | null;
            created_at: string;
            /** @description when it is deleted */
            expires_at: string;
        };
        EvidencePackAccepted: {
            pack_id: string;
        };
        EvidencePackList: {
            packs: components["schemas"]["EvidencePack"][];
        };
        EvidencePackRequest: {
            /**
             * Format: date-time
             * @description the earliest time
             */
            from: string;
            /**
             * Format: date-time
             * @description exclusive; at most 366 days after from
             */
            to: string;
            /** @description whose controls are mapped; default: all */
            frameworks?: components["schemas"]["ControlFramework"][];
        };
        /** @enum {unknown} */
        EvidencePackStatus: "queued" | "running" | "ready" | "failed";
        /** @enum {unknown} */
        ExportFormat: "json" | "ndjson" | "csv";
        /** @enum {unknown} */
        ExportSection: "violations" | "reclassifications" | "card_amendments" | "score_history";
        ExportedScore: {
            week_start: string;
            score: number;
            grade: string;
            checkpoint_count: number;
            components: {
                [key: string]: number | null;
            };
            assurance: number | null;
            assured_score: number | null;
        };
        /** @enum {unknown} */
        ExtractionMethod: "native_thinking" | "reasoning_content" | "response_analysis";
        FailureMode: {
            mode: components["schemas"]["FailureModeName"];
            description: string;
            probability: number;
            severity: components["schemas"]["Severity"];
            triggered_by: string[];
            affected_agents: string[];
            mitigation_available: boolean;
        };
        /** @enum {unknown} */
        FailureModeName: "value_override" | "escalation_conflict" | "coordination_deadlock" | "capability_gap" | "trust_erosion";
        /** @enum {unknown} */
        FallbackReason: "timeout" | "http_error" | "invalid_output" | "invalid_policy";
        FaultLine: {
            id: string;
            value: string;
            classification: components["schemas"]["FaultLineClass"];
            severity: components["schemas"]["Severity"];
            agents_declaring: string[];
            agents_missing: string[];
            agents_conflicting: string[];
            impact_score: number;
            resolution_hint: string;
            affects_capabilities: string[];
        };
        FaultLineAnalysis: {
            team_id: string;
            analysis_id: string;
            fleet_score: number;
            /** @description The most severe first */
            fault_lines: components["schemas"]["FaultLine"][];
            summary: {
                total: number;
                resolvable: number;
                priority_mismatch: number;
                incompatible: number;
                critical_count: number;
            };
            agents_without_card: string[];
            created_at: string;
            produced_by: components["schemas"]["IntelligenceProducer"];
            /** @description Why rules were used although a model is configured */
            fallback_reason?: components["schemas"]["FallbackReason"];
        };
        /** @enum {unknown} */
        FaultLineClass: "resolvable" | "priority_mismatch" | "incompatible";
        FieldChange: {
            from: unknown;
            to: unknown;
        };
        FleetCoherence: {
            org_id: string;
            computed_at: string;
            cached: boolean;
            agent_count: number;
            pair_count: number;
            agents_without_card: string[];
            fleet_score: number;
            min_pair_score: number;
            max_pair_score: number;
            pairwise_matrix?: components["schemas"]["CoherencePair"][];
            agent_summaries: components["schemas"]["AgentCoherence"][];
            outliers: components["schemas"]["CoherenceOutlier"][];
            clusters: components["schemas"]["CoherenceCluster"][];
            /** @description at most 100, the largest impact first */
            divergence_report: components["schemas"]["ValueDivergence"][];
            /** @description the total */
            divergence_count: number;
        };
        ForbiddenRule: {
            pattern: string;
            reason: string;
            severity: string;
        };
        ForecastRequest: {
            team_id: string;
            fault_line_analysis_id: string;
        };
        FullAudit: {
            /** @description hash_chain_valid says what a finished one found */
            state: components["schemas"]["FullAuditState"];
            requested_at: string;
            finished_at: string | null;
        };
        FullAuditRequest: {
            /**
             * @description recompute every checkpoint of the agent
             * @enum {boolean}
             */
            full: true;
        };
        /** @enum {unknown} */
        FullAuditState: "running" | "finished";
        /** @enum {unknown} */
        Grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
        GradeShare: {
            grade: components["schemas"]["RatedGrade"];
            count: number;
            percentage: number;
        };
        HealthCheck: {
            status: components["schemas"]["HealthStatus"];
        };
        /** @enum {unknown} */
        HealthStatus: "ok" | "degraded" | "down";
        HistoricalEvaluation: {
            agent_id: string;
            traces_evaluated: number;
            verdict: components["schemas"]["PolicyVerdict"];
            violation_count: number;
            /** @description the first 1,000 by time and trace */
            violations: components["schemas"]["HistoricalViolation"][];
            summary: {
                pass: number;
                warn: number;
                fail: number;
            };
            /** @description true if only the newest 10,000 traces were evaluated */
            truncated: boolean;
            policy_id: string | null;
            policy_version: number | null;
            evaluated_at: string;
            duration_ms: number;
        };
        HistoricalEvaluationRequest: {
            agent_id: string;
            time_range: {
                /**
                 * Format: date-time
                 * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                 */
                start: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                 */
                end: string;
            };
            /** @default audit */
            context?: components["schemas"]["EvaluationContext"];
            /** @description a policy document to use instead of the agent's own, for this request only */
            policy?: unknown;
        };
        HistoricalViolation: {
            trace_id: string;
            occurred_at: string;
            /** @enum {unknown} */
            type: "forbidden" | "unmapped" | "escalation" | "limit" | "flow" | "loop" | "tool_changed";
            /** @description * for the call as a whole */
            tool: string;
            reason: string;
            severity: components["schemas"]["Severity"];
            blocking: boolean;
            /** @description a pattern or a condition, or one of: default, card, transaction, max_identical_calls, changed_tool_action; a limit or flow by its layer and name, such as org/refunds */
            rule: string;
            capability?: string;
            /** @enum {unknown} */
            action?: "escalate" | "deny";
        };
        /** @description The answer in the form that the client expects; empty if nothing stops the call */
        HookAnswer: {
            [key: string]: unknown;
        };
        /** @description the input that the client gives to its hooks */
        HookEvent: {
            [key: string]: unknown;
        };
        /** @description The impersonation session */
        Impersonation: {
            id: string;
            admin_user_id: string;
            target_user_id: string;
            target_email: string | null;
            reason: string;
            started_at: string;
            expires_at: string;
        };
        ImpersonationRequest: {
            user_id: string;
            reason: string;
        };
        InclusionProof: {
            checkpoint_id: string;
            leaf_hash: string;
            leaf_index: number;
            /** @description siblings from the leaf to the root */
            siblings: components["schemas"]["MerkleSibling"][];
            root: string;
            tree_size: number;
            /** @description whether the service checked the proof against the root */
            verified: boolean;
        };
        IntelligenceItem: components["schemas"]["FaultLineAnalysis"] | components["schemas"]["TeamForecast"] | components["schemas"]["PolicyRecommendation"];
        /** @description What produced the item; items made by rules are never attributed to a model */
        IntelligenceProducer: {
            /** @enum {unknown} */
            kind: "algorithm" | "model" | "rules";
            name: string;
            version: string;
        };
        IntelligenceSummary: {
            id: string;
            type: components["schemas"]["IntelligenceType"];
            created_at: string;
            produced_by: components["schemas"]["IntelligenceProducer"];
        };
        IntelligenceSummaryPage: {
            items: components["schemas"]["IntelligenceSummary"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        /** @enum {unknown} */
        IntelligenceType: "fault_lines" | "forecast" | "recommendation";
        Invitation: {
            invitation_id: string;
            org_id: string;
            email: string;
            role: components["schemas"]["InvitedRole"];
            status: components["schemas"]["InvitationStatus"];
            invited_by: string;
            expires_at: string;
            created_at: string;
        };
        InvitationAcceptance: {
            token: string;
        };
        InvitationPage: {
            invitations: components["schemas"]["Invitation"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        /** @enum {unknown} */
        InvitationStatus: "pending" | "accepted" | "revoked" | "expired";
        /** @description The invitation and its token */
        InvitationWithToken: {
            invitation_id: string;
            org_id: string;
            email: string;
            role: components["schemas"]["InvitedRole"];
            status: components["schemas"]["InvitationStatus"];
            invited_by: string;
            expires_at: string;
            created_at: string;
            token: string | null;
        };
        /** @enum {unknown} */
        InvitedRole: "admin" | "auditor" | "member";
        /** @enum {unknown} */
        JoiningRole: "admin" | "auditor" | "member";
        Jwk: {
            kid: string;
            /** @enum {string} */
            kty: "OKP";
            /** @enum {string} */
            crv: "Ed25519";
            x: string;
            /** @enum {string} */
            alg: "EdDSA";
            /** @enum {string} */
            use: "sig";
        };
        JwkSet: {
            keys: components["schemas"]["Jwk"][];
        };
        /** @enum {unknown} */
        LearnedEffect: "allow" | "escalate";
        LearnedPolicy: {
            agent_id: string;
            from: string;
            to: string;
            /** @description the result in words */
            message: string;
            policy: {
                [key: string]: unknown;
            } | null;
            /** @description every tool in the policy, with the calls that prove its use */
            rules: components["schemas"]["LearnedRule"][];
            impact: components["schemas"]["PolicyImpact"] | null;
            /** @description the 500 tools with the most calls */
            would_have_stopped: components["schemas"]["StoppedTool"][];
            would_have_stopped_total: number;
            /** @description calls that prove nothing, by reason: refused, bypassed, would_be_refused, flagged_session, unverified_trace, failed_policy, no_outcome, failed, not_executed, contradicted_trace, forbidden_now, unusable_name */
            ignored: {
                [key: string]: number;
            };
            decisions_counted: number;
            traces_counted: number;
            /** @description true if only the newest 100,000 traces were counted */
            truncated: boolean;
        };
        LearnedRule: {
            tool: string;
            effect: components["schemas"]["LearnedEffect"];
            capability: string;
            /** @description a JSON pointer to the name of the tool in the policy */
            path: string;
            escalated_by: string | null;
            decisions: number;
            traces: number;
            first_seen: string;
            last_seen: string;
        };
        ListedRiskAssessment: {
            assessment_id: string;
            subject: components["schemas"]["RiskSubject"];
            agent_ids: string[];
            team_id: string | null;
            action_type: components["schemas"]["RiskActionType"];
            risk_score: number;
            risk_level: components["schemas"]["RiskLevel"];
            recommendation: components["schemas"]["RiskRecommendation"] | components["schemas"]["TeamRiskRecommendation"];
            proof_status: components["schemas"]["AssessmentProofStatus"];
            created_at: string;
        };
        /** @description The check passed */
        Liveness: {
            /** @enum {string} */
            status: "ok";
        };
        LogCheck: {
            status: components["schemas"]["HealthStatus"];
            size: number | null;
            published_size: number | null;
            pending: number | null;
            last_checkpoint_at: string | null;
            fault: string | null;
            witnesses: components["schemas"]["WitnessCheck"][];
        };
        LogConsistency: {
            from: number;
            to: number;
            hashes: string[];
        };
        LogEntry: {
            at: string;
            /** @description HMAC-SHA-256 of the canonical record, keyed by the nonce */
            hash: string;
            /** @description tag of the organisation in this month */
            org: string;
            type: string;
            v: number;
        };
        /** @enum {unknown} */
        LogEntryType: "approval" | "checkpoint" | "containment" | "decisions" | "key" | "outcome" | "policy" | "reclassification" | "score";
        LogProof: {
            /** @description the place of the entry in the log, from 0 */
            index: number;
            entry: components["schemas"]["LogEntry"];
            /** @description hex */
            nonce: string;
            /** @description the members hashed */
            record: {
                [key: string]: unknown;
            };
            /** @description the text of c2sp.org/tlog-proof */
            proof: string;
        };
        Member: {
            user_id: string;
            email: string | null;
            role: components["schemas"]["Role"];
            accepted_at: string;
        };
        MemberChanges: {
            role: components["schemas"]["Role"];
        };
        MemberList: {
            members: components["schemas"]["Member"][];
        };
        Membership: {
            org_id: string;
            name: string;
            role: components["schemas"]["Role"];
            /** @description the organisation requires a second factor, and you have none */
            needs_second_factor: boolean;
        };
        MerkleSibling: {
            hash: string;
            /** @description left or right: the side of the sibling */
            position: string;
        };
        /** @enum {unknown} */
        Meter: "checks" | "team_reputation" | "risk_assessment" | "team_risk_assessment";
        MeterUsage: {
            used: number;
            included: number | null;
            usage_percent: number | null;
        };
        ModelConnection: {
            connection_id: string;
            agent_id: string;
            name: string;
            provider: components["schemas"]["ModelProvider"];
            upstream_url: string | null;
            credential: components["schemas"]["CredentialKind"];
            /** @description the answer while the agent is contained: refuse is an error, turn a turn of the model that says so */
            on_contained: components["schemas"]["OnContained"];
            /** @description the end of a stream in which the gateway fails: an error, or the held bytes */
            on_error: components["schemas"]["OnGatewayError"];
            /** @description observe if calls are decided and recorded, and nothing is replaced, held or refused */
            mode: components["schemas"]["ConnectionMode"];
            token_prefix: string;
            created_by: string;
            created_at: string;
            last_used_at: string | null;
        };
        ModelConnectionChanges: {
            name?: string;
            on_contained?: components["schemas"]["OnContained"];
            on_error?: components["schemas"]["OnGatewayError"];
            mode?: components["schemas"]["ConnectionMode"];
        };
        ModelConnectionList: {
            connections: components["schemas"]["ModelConnection"][];
        };
        ModelConnectionRotation: {
            /**
             * @description how many hours the old token keeps working
             * @default 0
             */
            grace_hours?: number;
        };
        /** @description The connection and its token */
        ModelConnectionWithToken: {
            connection_id: string;
            agent_id: string;
            name: string;
            provider: components["schemas"]["ModelProvider"];
            upstream_url: string | null;
            credential: components["schemas"]["CredentialKind"];
            /** @description the answer while the agent is contained: refuse is an error, turn a turn of the model that says so */
            on_contained: components["schemas"]["OnContained"];
            /** @description the end of a stream in which the gateway fails: an error, or the held bytes */
            on_error: components["schemas"]["OnGatewayError"];
            /** @description observe if calls are decided and recorded, and nothing is replaced, held or refused */
            mode: components["schemas"]["ConnectionMode"];
            token_prefix: string;
            created_by: string;
            created_at: string;
            last_used_at: string | null;
            token: string | null;
            base_url: string | null;
            environment: {
                [key: string]: string;
            } | null;
        };
        ModelLimit: {
            name: string;
            layer?: string;
            models: string[];
            max_tokens?: number;
            max_turns?: number;
            per: string;
            action: string;
        };
        /** @enum {unknown} */
        ModelProvider: "anthropic" | "openai" | "gemini" | "openai_compatible";
        ModelUsage: {
            days: components["schemas"]["ModelUsageDay"][];
        };
        ModelUsageBucket: {
            /** @description hours and days of UTC; those without a turn are left out */
            start: string;
            turns: number;
            /** @description cached ones included */
            input_tokens: number;
            cached_tokens: number;
            /** @description reasoning included */
            output_tokens: number;
            /** @description refused ones included */
            tool_calls: number;
            /** @description calls that were not let through */
            blocked: number;
            /** @description turns whose calls were released undecided, because the gateway failed */
            ungoverned: number;
        };
        ModelUsageDay: {
            /** @description of UTC */
            date: string;
            /** @description as the provider names it */
            model: string;
            turns: number;
            /** @description cached ones included */
            input_tokens: number;
            cached_tokens: number;
            /** @description reasoning included */
            output_tokens: number;
            /** @description refused ones included */
            tool_calls: number;
            /** @description calls that were not let through */
            blocked: number;
            /** @description turns whose calls were released undecided, because the gateway failed */
            ungoverned: number;
        };
        /** @enum {unknown} */
        ModelUsageInterval: "hour" | "day";
        NewAgent: {
            agent_id?: string;
            name?: string;
            description?: string | null;
            visibility?: components["schemas"]["Visibility"];
            provider?: string | null;
            model?: string | null;
            /** @description at most 16 KB */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description an alignment card; by default a minimal one */
            card?: unknown;
            /** @description SHA-256 of a secret that you keep; then no agent_secret is generated */
            agent_hash?: string;
            org_id?: string;
        };
        /** @description An AP-trace, at most 64 KB; agent_id, if given, must match the path. */
        NewAgentTrace: {
            agent_id?: string;
            trace_id?: string;
            card_id?: string;
            /**
             * Format: date-time
             * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
             */
            timestamp?: string;
            action: components["schemas"]["TraceAction"];
            decision: {
                selected: string;
                selection_reasoning: string;
                values_applied: string[];
                alternatives_considered?: {
                    option_id: string;
                    description: string;
                    score?: number;
                    scoring_factors?: {
                        [key: string]: unknown;
                    };
                    flags?: string[];
                }[];
                confidence?: number;
            };
            escalation?: components["schemas"]["TraceEscalation"];
            /** @description further members are stored; conditions of the card can refer to them */
            context?: {
                session_id?: string;
                conversation_turn?: number;
                prior_trace_ids?: string[];
                environment?: {
                    [key: string]: unknown;
                };
                metadata?: {
                    [key: string]: unknown;
                };
            };
            tools?: string[];
            /** @description the gateway's decision about this action, of the same agent and session */
            decision_id?: string;
        };
        NewAnchor: {
            merkle_root: string;
            leaf_count: number;
            /** @description from ceil(log2(leaf_count)) to 32 */
            tree_depth: number;
        };
        NewApiKey: {
            /** @default Default */
            name?: string;
            /** @description at most your own role, which is the default */
            role?: components["schemas"]["ApiKeyRole"];
            /** @description default: read, ingest, write and onchain */
            scopes?: components["schemas"]["Scope"][];
            expires_in_days?: number | null;
            /**
             * @description the kind of program, shown as the source of decisions
             * @default api
             */
            client?: components["schemas"]["ApiKeyClient"];
            /**
             * @description observe if the program records decisions and does not stop calls
             * @default enforce
             */
            mode?: components["schemas"]["ApiKeyMode"];
            /** @description restricts every call of the key to this agent */
            agent_id?: string;
            /** @description addresses and ranges, such as 203.0.113.0/24, that the key can be used from; empty for any */
            allowed_ips?: string[];
            /** @description required if you belong to several organisations */
            org_id?: string;
        };
        /** @description A submission: thinking, output or both, at most 400,000 characters each. */
        NewCheckpoint: {
            agent_id?: string;
            thinking?: string;
            output?: string;
            /** @description ic- and a version 4 UUID in lower case */
            checkpoint_id?: string;
            session_id?: string;
            /**
             * Format: date-time
             * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
             */
            timestamp?: string;
            provider?: string;
            model?: string;
            extraction_method?: components["schemas"]["ExtractionMethod"];
            actions?: string[];
            /** @description facts that escalation triggers refer to */
            context?: {
                [key: string]: unknown;
            };
            task_context?: string;
            trace_id?: string;
            /** @description the decisions of the gateway that it is about, of the same agent and session */
            decision_ids?: string[];
            /** @description true: analyse only and store nothing */
            dry_run?: boolean;
        };
        NewCheckpointBatch: {
            checkpoints: unknown[];
        };
        NewConscienceValue: {
            /** @description unique in the organisation; case is ignored */
            name: string;
            /** @description the text of the value, which agents are checked against */
            description: string;
            type: components["schemas"]["ConscienceType"];
            /** @description mandatory is treated as BOUNDARY whatever the type; an advisory BOUNDARY as FEAR */
            severity?: components["schemas"]["ConscienceSeverity"];
        };
        NewInvitation: {
            email: string;
            /** @default member */
            role?: components["schemas"]["InvitedRole"];
        };
        NewModelConnection: {
            provider: components["schemas"]["ModelProvider"];
            /** @description required for openai_compatible: the address before /v1, on an origin that the operator lists */
            upstream_url?: string;
            /**
             * @description the client's own key, or a key that only the gateway holds
             * @default pass_through
             */
            credential?: "pass_through" | {
                /** @description the provider's key, which is never returned */
                sealed: string;
            };
            /** @default refuse */
            on_contained?: components["schemas"]["OnContained"];
            /** @default fail_closed */
            on_error?: components["schemas"]["OnGatewayError"];
            /** @default enforce */
            mode?: components["schemas"]["ConnectionMode"];
            name?: string;
        };
        NewOrg: {
            name: string;
            /** @description unique; lower-case letters, digits and inner hyphens */
            slug: string;
            billing_email?: string | null;
            company_name?: string | null;
        };
        NewOrgApiKey: {
            /** @default Default */
            name?: string;
            /** @description at most your own role, which is the default */
            role?: components["schemas"]["ApiKeyRole"];
            /** @description default: read, ingest, write and onchain */
            scopes?: components["schemas"]["Scope"][];
            expires_in_days?: number | null;
            /**
             * @description the kind of program, shown as the source of decisions
             * @default api
             */
            client?: components["schemas"]["ApiKeyClient"];
            /**
             * @description observe if the program records decisions and does not stop calls
             * @default enforce
             */
            mode?: components["schemas"]["ApiKeyMode"];
            /** @description restricts every call of the key to this agent */
            agent_id?: string;
            /** @description addresses and ranges, such as 203.0.113.0/24, that the key can be used from; empty for any */
            allowed_ips?: string[];
        };
        NewReclassification: {
            checkpoint_id: string;
            reason: string;
            card_amendment_id?: string | null;
            /** @description default: card_gap with an amendment, behavior_gap for a violation that no gap in a card explains, else card_gap */
            new_type?: components["schemas"]["ReclassifiedType"];
        };
        NewTeam: {
            org_id: string;
            /** @description duplicates count once */
            agent_ids: string[];
            /** @description 1 to 100 characters after trimming */
            name: string;
            description?: string | null;
            /** @description at most 16 KB */
            metadata?: {
                [key: string]: unknown;
            };
            visibility?: components["schemas"]["Visibility"];
        };
        NewTeamMembers: {
            /** @description duplicates count once */
            agent_ids: string[];
        };
        /** @description An AP-trace, at most 64 KB. */
        NewTrace: {
            agent_id: string;
            trace_id?: string;
            card_id?: string;
            /**
             * Format: date-time
             * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
             */
            timestamp?: string;
            action: components["schemas"]["TraceAction"];
            decision: {
                selected: string;
                selection_reasoning: string;
                values_applied: string[];
                alternatives_considered?: {
                    option_id: string;
                    description: string;
                    score?: number;
                    scoring_factors?: {
                        [key: string]: unknown;
                    };
                    flags?: string[];
                }[];
                confidence?: number;
            };
            escalation?: components["schemas"]["TraceEscalation"];
            /** @description further members are stored; conditions of the card can refer to them */
            context?: {
                session_id?: string;
                conversation_turn?: number;
                prior_trace_ids?: string[];
                environment?: {
                    [key: string]: unknown;
                };
                metadata?: {
                    [key: string]: unknown;
                };
            };
            tools?: string[];
            /** @description the gateway's decision about this action, of the same agent and session */
            decision_id?: string;
        };
        NewTraceBatch: {
            traces: unknown[];
        };
        NewTransaction: {
            agent_id: string;
            description: string;
            action_type: components["schemas"]["TransactionActionType"];
            /** @description full names without * and ?, each of 1 to 256 characters */
            tools: string[];
            /** @default 1 */
            duration_hours?: number;
            /** @description the team whose policy applies; by default those of all teams of the agent */
            team_id?: string;
            /** @description a policy document with further restrictions; meta is optional */
            policy?: unknown;
        };
        NewTrustEdge: {
            target_agent_id: string;
            /** @default medium */
            trust_level?: components["schemas"]["TrustLevel"];
            reason?: string | null;
        };
        NewViolationComment: {
            text: string;
        };
        NewWebhook: {
            /** @description https, at most 2048 characters, resolving to a public address */
            url: string;
            description?: string | null;
            /** @description types, families such as trace.*, or *; empty means all */
            event_types?: components["schemas"]["EventSubscription"][];
        };
        NormalizedPolicy: {
            meta: components["schemas"]["PolicyMeta"];
            capability_mappings: {
                [key: string]: components["schemas"]["CapabilityMapping"];
            };
            forbidden: components["schemas"]["ForbiddenRule"][];
            escalation_triggers: components["schemas"]["EscalationTrigger"][];
            limits?: components["schemas"]["PolicyLimit"][];
            flows?: components["schemas"]["PolicyFlow"][];
            model_limits?: components["schemas"]["ModelLimit"][];
            defaults: components["schemas"]["PolicyDefaults"];
        };
        Nudge: {
            nudge_id: string;
            agent_id: string;
            session_id: string;
            checkpoint_id: string;
            message: string;
            /**
             * @description delivered with this decision, and only once
             * @enum {string}
             */
            status: "delivered";
            created_at: string;
            delivered_at: string;
        };
        /** @enum {unknown} */
        NudgeStrategy: "always" | "sampling" | "threshold" | "off";
        OidcConfiguration: {
            /** @enum {boolean} */
            configured: true;
            org_id: string;
            idp_name: string | null;
            default_role: components["schemas"]["JoiningRole"];
            /** @description the highest role of a person’s groups wins, at every sign-in */
            role_mapping: components["schemas"]["SsoRoleMapping"][];
            groups_claim: string;
            allowed_domains: string[];
            enforced: boolean;
            created_at: string;
            updated_at: string;
            /** @enum {string} */
            protocol: "oidc";
            issuer: string;
            client_id: string;
            has_client_secret: boolean;
            scopes: string[];
            /** @description to be registered at the identity provider */
            redirect_uri: string;
        };
        OnChainAnchor: {
            anchor_id: string;
            merkle_root: string;
            block_number: number;
            anchored_at: string;
        };
        /** @description A page of anchors and publications */
        OnChainHistory: {
            anchors: components["schemas"]["AnchorSummary"][];
            publications: components["schemas"]["ScorePublicationSummary"][];
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
            total_anchors: number;
            total_publications: number;
        };
        OnChainScore: {
            score: number;
            grade: string;
            assurance: number | null;
            block_number: number;
            published_at: string;
        };
        /** @description The on-chain records of the agent */
        OnChainStatus: {
            agent_id: string;
            has_on_chain_score: boolean;
            latest_score: components["schemas"]["OnChainScore"] | null;
            latest_anchor: components["schemas"]["OnChainAnchor"] | null;
            last_updated: string | null;
        };
        /** @enum {unknown} */
        OnContained: "refuse" | "turn";
        /** @enum {unknown} */
        OnGatewayError: "fail_closed" | "fail_open";
        /** @description The OpenID configuration */
        OpenIdConfiguration: {
            issuer: string;
            jwks_uri: string;
            response_types_supported: string[];
            subject_types_supported: string[];
            id_token_signing_alg_values_supported: string[];
            claims_supported: string[];
        };
        Org: {
            org_id: string;
            name: string;
            slug: string;
            billing_account_id: string;
            owner_user_id: string;
            billing_email: string | null;
            company_name: string | null;
            require_second_factor: boolean;
            member_count: number;
            role: components["schemas"]["Role"] | null;
            created_at: string;
            updated_at: string;
        };
        OrgChanges: {
            name?: string;
            /** @description unique; lower-case letters, digits and inner hyphens */
            slug?: string;
            billing_email?: string | null;
            company_name?: string | null;
            /** @description members who sign in with a password need a second factor */
            require_second_factor?: boolean;
        };
        OrgList: {
            orgs: components["schemas"]["Org"][];
        };
        OrgModelUsage: {
            interval: components["schemas"]["ModelUsageInterval"];
            buckets: components["schemas"]["ModelUsageBucket"][];
        };
        /** @description The plan of the organisation and its usage */
        OrgPlan: {
            org_id: string;
            billing_account_id: string;
            plan_id: components["schemas"]["PlanId"];
            /** @description canceled counts as Free */
            status: components["schemas"]["PlanStatus"];
            cancel_at_period_end: boolean;
            features: components["schemas"]["PlanFeature"][];
            limits: {
                requests_per_second: number | null;
                trace_retention_days: number | null;
                included: {
                    checks: number | null;
                    team_reputation: number | null;
                    risk_assessment: number | null;
                    team_risk_assessment: number | null;
                };
            };
            /** @description meters that are charged from the first unit; they include 0 and have no percentage */
            metered: components["schemas"]["Meter"][];
            period_start: string;
            period_end: string;
            usage: {
                checks: components["schemas"]["MeterUsage"];
                team_reputation: components["schemas"]["MeterUsage"];
                risk_assessment: components["schemas"]["MeterUsage"];
                team_risk_assessment: components["schemas"]["MeterUsage"];
            };
        };
        /** @description The steps that set up an organisation, and whether they are done */
        OrgSetup: {
            /** @description an agent is registered */
            agent: boolean;
            /** @description a tool call was decided */
            decision: boolean;
            /** @description a policy was written in the last 400 days */
            policy: boolean;
            /** @description there is another member or a pending invitation */
            colleague: boolean;
            /** @description there is a webhook endpoint */
            webhook: boolean;
        };
        /** @description An ExportLogsServiceRequest of OTLP. */
        OtlpLogExport: {
            /** @description ResourceLogs of opentelemetry-proto, names in lowerCamelCase */
            resourceLogs?: unknown[];
        };
        /** @description An ExportLogsServiceResponse; empty if every record became evidence. The Touchstone-Log-Records header counts all records. */
        OtlpLogExportResult: {
            partialSuccess?: components["schemas"]["OtlpLogPartialSuccess"];
        };
        OtlpLogPartialSuccess: {
            /** @description the number of rejected records, as a string since it is an int64 */
            rejectedLogRecords: string;
            /** @description how many were rejected or ignored for which reason, or have no content, and what to do */
            errorMessage: string;
        };
        OtlpPartialSuccess: {
            /** @description the number of rejected spans, as a string since it is an int64 */
            rejectedSpans: string;
            /** @description how many were rejected or ignored for which reason, or have no content, and what to do */
            errorMessage: string;
        };
        /** @description An ExportTraceServiceRequest of OTLP. */
        OtlpTraceExport: {
            /** @description ResourceSpans of opentelemetry-proto, names in lowerCamelCase */
            resourceSpans?: unknown[];
        };
        /** @description An ExportTraceServiceResponse; empty if every span became evidence. The Touchstone-Spans header counts all spans. */
        OtlpTraceExportResult: {
            partialSuccess?: components["schemas"]["OtlpPartialSuccess"];
        };
        OutcomeReport: {
            status: components["schemas"]["CallOutcomeStatus"];
            /** @description how long the call took */
            duration_ms?: number;
            /** @description the message of a failed call */
            error?: string;
            /** @description SHA-256 of the result, in hex */
            result_hash?: string;
        };
        OutcomeReports: {
            outcomes: components["schemas"]["DecisionOutcomeReport"][];
        };
        OutcomeResult: {
            decision_id: string;
            /** @description conflict: it has another outcome, or was decided more than 24 hours ago */
            status: components["schemas"]["OutcomeResultStatus"];
        };
        /** @enum {unknown} */
        OutcomeResultStatus: "stored" | "duplicate" | "conflict" | "not_found";
        OutcomeResults: {
            /** @description in the order of the request */
            results: components["schemas"]["OutcomeResult"][];
        };
        PasswordChange: {
            current_password: string;
            new_password: string;
        };
        /** @description Accepted; if the account exists, an e-mail is sent */
        PasswordResetAcceptance: {
            /** @enum {boolean} */
            accepted: true;
        };
        PasswordResetConfirmation: {
            token: string;
            new_password: string;
        };
        PasswordResetRequest: {
            email: string;
        };
        Plan: {
            plan_id: components["schemas"]["PlanId"];
            display_name: string;
            features: components["schemas"]["PlanFeature"][];
            limits: {
                requests_per_second: number | null;
                trace_retention_days: number | null;
            };
            included: {
                checks: number | null;
                team_reputation: number | null;
                risk_assessment: number | null;
                team_risk_assessment: number | null;
            };
            /** @description meters that are charged from the first unit; they include 0 and have no percentage */
            metered: components["schemas"]["Meter"][];
            prices: {
                checks: number | null;
                team_reputation: number | null;
                risk_assessment: number | null;
                team_risk_assessment: number | null;
            };
        };
        PlanChange: {
            plan_id: components["schemas"]["PlanId"];
            /** @default active */
            status?: components["schemas"]["PlanStatus"];
            /** @description overrides the limits of the plan; missing ones are reset to those of the plan */
            limits?: {
                requests_per_second?: number | null;
                included?: {
                    checks?: number | null;
                    team_reputation?: number | null;
                    risk_assessment?: number | null;
                    team_risk_assessment?: number | null;
                };
            };
            /** @default false */
            cancel_at_period_end?: boolean;
        };
        /** @enum {unknown} */
        PlanFeature: "risk_assessment" | "team_risk_assessment" | "zk_proofs" | "team_reputation" | "intelligence" | "pairwise_coherence" | "webhooks" | "custom_conscience_values" | "org_card_template" | "nway_coherence" | "sso";
        /** @enum {unknown} */
        PlanId: "plan-free" | "plan-developer" | "plan-team" | "plan-enterprise";
        PlanList: {
            plans: components["schemas"]["Plan"][];
        };
        /** @enum {unknown} */
        PlanStatus: "trialing" | "active" | "past_due" | "canceled";
        Policy: {
            id: string;
            version: number;
            meta: components["schemas"]["PolicyMeta"];
            capability_mappings: {
                [key: string]: components["schemas"]["CapabilityMapping"];
            };
            forbidden: components["schemas"]["ForbiddenRule"][];
            escalation_triggers: components["schemas"]["EscalationTrigger"][];
            limits?: components["schemas"]["PolicyLimit"][];
            flows?: components["schemas"]["PolicyFlow"][];
            model_limits?: components["schemas"]["ModelLimit"][];
            defaults: components["schemas"]["PolicyDefaults"];
            created_at: string;
            updated_at: string;
        };
        PolicyDefaults: {
            unmapped_tool_action?: string;
            unmapped_severity?: string;
            fail_open?: boolean;
            enforcement_mode?: string;
            grace_period_hours?: number;
            approval?: components["schemas"]["ApprovalBlock"];
            max_identical_calls?: number | null;
            changed_tool_action?: string;
        };
        /** @description A policy document: meta {schema_version, name, description?, scope}, capability_mappings? {name: {tools, card_actions, description?}}, forbidden? [{pattern, reason, severity}], escalation_triggers? [{condition, action, reason, severity?, approval?}], limits? [{name, tools, max, per, action?, reason, approval?}], flows? [{name, from, to, action?, reason, approval?}], defaults? {enforcement_mode, unmapped_tool_action, unmapped_severity, grace_period_hours, fail_open, approval, max_identical_calls, changed_tool_action}; as JSON or YAML, by Content-Type. Nothing is blocked unless enforcement_mode is enforce, and unmapped tools are not blocked in their first 24 hours unless grace_period_hours is 0. The policy of a team applies only to transactions of its members. All fields, values and conditions: docs/concepts/policies.md. limits, flows, approval {required, roles, scopes, expires_minutes, local}, max_identical_calls and changed_tool_action need schema_version 1.1. */
        PolicyDocument: unknown;
        PolicyEvaluation: {
            verdict: components["schemas"]["PolicyVerdict"];
            violations: components["schemas"]["PolicyViolation"][];
            warnings: components["schemas"]["PolicyWarning"][];
            card_gaps: components["schemas"]["CardGap"][];
            coverage: components["schemas"]["CardCoverage"];
            policy_id: string | null;
            policy_version: number | null;
            evaluated_at: string;
            context: components["schemas"]["EvaluationContext"];
            duration_ms: number;
            enforcement_mode: components["schemas"]["PolicyMode"];
            transaction_id: string | null;
            /** @description the total; at most 1,000 are listed */
            violation_count: number;
            /** @description the total; at most 1,000 are listed */
            warning_count: number;
            evaluation_id: string | null;
        };
        PolicyEvaluationPage: {
            evaluations: components["schemas"]["RecordedPolicyEvaluation"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        PolicyEvaluationRequest: {
            agent_id: string;
            tools: string[];
            /** @default gateway */
            context?: components["schemas"]["EvaluationContext"];
            transaction_id?: string;
            /** @description a policy document to use instead of the agent's own, for this request only */
            policy?: unknown;
        };
        PolicyFlow: {
            name: string;
            action: string;
            reason: string;
            approval?: components["schemas"]["ApprovalBlock"];
            /** @description in a merged policy: org, agent, team:<id> or transaction:<id> */
            layer?: string;
            from: string[];
            to: string[];
        };
        PolicyImpact: {
            org_id: string;
            agent_id: string | null;
            days: number;
            from: string;
            to: string;
            relation: components["schemas"]["PolicyRelation"] | null;
            relation_reason: string | null;
            counterexample: {
                newly_blocked: string | null;
                newly_allowed: string | null;
            };
            /** @description other differences, which depend on more than the tool name: card, deny_triggers, escalate_triggers, enforcement_mode, grace_period_hours, fail_open, limits, flows, model_limits, max_identical_calls, changed_tool_action, approval */
            unweighed: string[];
            /** @description the entries of unweighed that could allow calls that are blocked today */
            may_loosen: string[];
            traces_evaluated: number;
            /** @description true if older traces were left out: at most 10,000 are evaluated, within a time limit */
            truncated: boolean;
            /** @description fail with the draft but not today */
            newly_failing: number;
            /** @description fail today but not with the draft */
            newly_passing: number;
            unchanged: number;
            /** @description the 200 with the most changes */
            tools: components["schemas"]["ToolImpact"][];
            tools_total: number;
            /** @description the 200 with the most changes */
            agents: components["schemas"]["AgentImpact"][];
            agents_total: number;
        };
        PolicyImpactRequest: {
            /** @description the agent whose policy is drafted; required if and only if the scope of the draft is agent */
            agent_id?: string;
            /** @description the draft, a policy document; its meta.scope is agent or org */
            policy: unknown;
            /** @default 7 */
            days?: number;
        };
        PolicyLearnRequest: {
            agent_id: string;
            /** @default 7 */
            days?: number;
            /**
             * Format: date-time
             * @description the end of the days, exclusive; default: now
             */
            to?: string;
        };
        PolicyLimit: {
            name: string;
            action: string;
            reason: string;
            approval?: components["schemas"]["ApprovalBlock"];
            /** @description in a merged policy: org, agent, team:<id> or transaction:<id> */
            layer?: string;
            tools: string[];
            max: number;
            per: string;
        };
        PolicyMeta: {
            schema_version: string;
            name: string;
            description?: string;
            scope: string;
        };
        /** @enum {unknown} */
        PolicyMode: "off" | "warn" | "enforce";
        PolicyRecommendation: {
            recommendation_id: string;
            /** @description a policy document of scope team; it has no effect until it is stored */
            policy: {
                [key: string]: unknown;
            };
            reasoning_chain: components["schemas"]["ReasoningStep"][];
            confidence: number;
            forecast_summary: {
                risk_reduction: string;
                fault_lines_resolved: number;
            };
            /** @description false if the policy would resolve no fault line and lower no risk */
            useful: boolean;
            validation: {
                valid: boolean;
                errors: string[];
            };
            created_at: string;
            produced_by: components["schemas"]["IntelligenceProducer"];
            /** @description Why rules were used although a model is configured */
            fallback_reason?: components["schemas"]["FallbackReason"];
        };
        /** @enum {unknown} */
        PolicyRelation: "equal" | "stricter" | "looser" | "incomparable";
        PolicyValidation: {
            valid: boolean;
            errors: components["schemas"]["ValidationFinding"][];
            warnings: components["schemas"]["ValidationFinding"][];
            normalized: components["schemas"]["NormalizedPolicy"] | null;
        };
        /** @enum {unknown} */
        PolicyVerdict: "pass" | "warn" | "fail";
        PolicyVersion: {
            version: number;
            id: string;
            meta: components["schemas"]["PolicyMeta"] | null;
            updated_at: string;
            updated_by: string;
            deleted: boolean;
        };
        PolicyVersionPage: {
            versions: components["schemas"]["PolicyVersion"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        PolicyViolation: {
            /** @enum {unknown} */
            type: "forbidden" | "unmapped" | "escalation" | "limit" | "flow" | "loop" | "tool_changed";
            /** @description * for the call as a whole */
            tool: string;
            reason: string;
            severity: components["schemas"]["Severity"];
            blocking: boolean;
            /** @description a pattern or a condition, or one of: default, card, transaction, max_identical_calls, changed_tool_action; a limit or flow by its layer and name, such as org/refunds */
            rule: string;
            capability?: string;
            /** @enum {unknown} */
            action?: "escalate" | "deny";
        };
        PolicyWarning: {
            /** @enum {unknown} */
            type: "unmapped_tool" | "grace_period" | "escalation_triggered" | "limit" | "tool_changed";
            tool: string;
            reason: string;
            expires_at?: string;
        };
        /** @description An error */
        Problem: {
            /** @description A stable error code */
            error: string;
            /** @description A description of the error */
            message: string;
            details?: components["schemas"]["ProblemDetail"][];
        };
        ProblemDetail: {
            /** @description JSON pointer to the field */
            path?: string;
            code?: string;
            message?: string;
        };
        Profile: {
            user_id: string;
            email: string | null;
            name: string | null;
            is_platform_admin: boolean;
            second_factor: boolean;
            orgs: components["schemas"]["Membership"][];
        };
        Proof: {
            proof_id: string;
            status: components["schemas"]["ProofStatus"];
            assessment_id: string;
            /** @enum {string} */
            assessment_kind: "individual";
            attempts: number;
            error: string | null;
            receipt: components["schemas"]["ProofReceipt"] | null;
            created_at: string;
            started_at: string | null;
            verified_at: string | null;
        };
        ProofJournal: {
            v: number;
            kind: string;
            formula: string;
            assessment_id: string;
            inputs_commitment: string;
            witness_commitment: string;
            as_of: string;
            score_e4: number;
            level: components["schemas"]["RiskLevel"];
            recommendation: components["schemas"]["RiskRecommendation"];
            circuit_breakers: components["schemas"]["RiskBreaker"][];
        };
        ProofProgram: {
            formula: string;
            system: string;
            system_version: string;
            /** @description sha256: and hex */
            program_id: string;
            active: boolean;
        };
        ProofPrograms: {
            programs: components["schemas"]["ProofProgram"][];
        };
        ProofReceipt: {
            proof_type: string;
            system: string;
            system_version: string;
            /** @description a conservative estimate */
            security_bits: number;
            audited: boolean;
            /** @description sha256: and hex */
            program_id: string;
            formula: string;
            /** @description base64 of the canonical bytes */
            journal: string;
            proof: string | null;
            proof_url: string | null;
            /** @description 64 hex digits */
            proof_sha256: string;
            proof_bytes: number;
            proving_ms: number;
            signature: components["schemas"]["ProofReceiptSignature"];
        };
        /** @description the service's signature of every field except proof and proof_url */
        ProofReceiptSignature: {
            algorithm: string;
            key_id: string;
            value: string;
        };
        /** @enum {unknown} */
        ProofStatus: "pending" | "proving" | "verified" | "failed";
        ProofToVerify: {
            receipt: components["schemas"]["ReceiptToVerify"];
        };
        ProofVerification: {
            valid: boolean;
            checks: {
                program_known: boolean;
                proof_valid: boolean;
                journal_well_formed: boolean;
                fields_signed: boolean | null;
            };
            journal: components["schemas"]["ProofJournal"] | null;
        };
        ProvenDecision: {
            decision_id: string;
            org_id: string;
            agent_id: string;
            session_id: string | null;
            call_id: string | null;
            tool: string;
            arguments_hash: string | null;
            /** @description allow and warn: the tool may be called */
            decision: components["schemas"]["DecisionOutcome"];
            reasons: components["schemas"]["DecisionReason"][];
            verdict: components["schemas"]["PolicyVerdict"] | null;
            enforcement_mode: components["schemas"]["PolicyMode"] | null;
            agent_enforcement_mode: components["schemas"]["EnforcementMode"];
            policy_id: string | null;
            policy_version: number | null;
            transaction_id: string | null;
            escalation_id: string | null;
            decided_at: string;
            /** @description the time to decide, without signing and storing */
            duration_ms: number;
            /** @description false if the client only records decisions */
            enforced: boolean;
            source: components["schemas"]["DecisionSource"];
            client: string | null;
            receipt: components["schemas"]["DecisionReceipt"];
            /** @description null if it was not reported; if enforced is true, a blocked call was then stopped before it ran, and an escalated one held */
            outcome: components["schemas"]["CallOutcome"] | null;
            log_index: number | null;
            /** @description the proof that its batch is in the witnessed log, once a published checkpoint has it */
            log: components["schemas"]["LogProof"] | null;
        };
        /** @enum {unknown} */
        Provenance: "observed" | "relayed" | "reported" | "imported";
        PublishedScoreVerification: {
            agent_id: string;
            on_chain_score: number;
            grade: string;
            metadata_hash: string;
            /** @description The hashed document: metadata_hash is the keccak256 of its canonical JSON */
            metadata: unknown;
            published_at: string;
            block_number: number;
            tx_hash: string;
            verified: boolean;
            assurance: number | null;
        };
        /** @enum {unknown} */
        RatedConfidence: "low" | "medium" | "high";
        /** @enum {unknown} */
        RatedGrade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC";
        /** @description The state of the service and its dependencies */
        Readiness: {
            /** @enum {unknown} */
            status: "ready" | "degraded" | "unavailable";
            reason: string | null;
            checks: {
                database: components["schemas"]["HealthCheck"];
                notices: components["schemas"]["HealthCheck"];
                queue: components["schemas"]["HealthCheck"];
                chain: components["schemas"]["HealthCheck"];
                log: components["schemas"]["LogCheck"];
            };
            /** @description the setting DECISION_DURABILITY */
            decision_durability: string;
        };
        ReasonCode: {
            code: string;
            component: components["schemas"]["ScoreComponentKey"];
            points_lost: number;
            evidence_ids: string[];
        };
        ReasoningStep: {
            step: number;
            action: string;
            rationale: string;
            fault_lines_addressed: string[];
        };
        ReceiptToVerify: {
            program_id: string;
            formula: string;
            /** @description base64 */
            journal: string;
            /** @description base64 */
            proof: string;
            /** @description 64 hex digits */
            proof_sha256: string;
        };
        Reclassification: {
            agent_id: string;
            reclassification_id: string;
            checkpoint_id: string;
            original_type: string;
            new_type: components["schemas"]["ReclassifiedType"];
            reason: string;
            card_amendment_id: string | null;
            approved_by: string;
            created_at: string;
            score_impact: components["schemas"]["ScoreImpact"];
        };
        ReclassificationPage: {
            reclassifications: components["schemas"]["ReclassificationSummary"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        ReclassificationSummary: {
            reclassification_id: string;
            checkpoint_id: string;
            original_type: string;
            new_type: components["schemas"]["ReclassifiedType"];
            reason: string;
            card_amendment_id: string | null;
            approved_by: string;
            created_at: string;
            score_impact: components["schemas"]["ScoreImpact"];
        };
        /** @enum {unknown} */
        ReclassifiedType: "card_gap" | "behavior_gap";
        ReclassifiedViolations: {
            /** @description those reclassified as card gaps */
            card_gap: number;
            /** @description all violations of the last 90 days */
            of: number;
        };
        /** @enum {unknown} */
        RecommendedAction: "continue" | "log_and_continue" | "pause_for_review" | "deny_and_escalate";
        RecomputedReputation: {
            agent_id: string;
            score_before: number | null;
            score_after: number | null;
            grade_before: components["schemas"]["Grade"];
            grade_after: components["schemas"]["Grade"];
            reclassifications_applied: number;
            propagation: {
                agents_affected: number;
                max_depth: number;
                decay_factor: number;
            };
            recomputed_at: string;
        };
        RecordedPolicyEvaluation: {
            verdict: components["schemas"]["PolicyVerdict"];
            violations: components["schemas"]["PolicyViolation"][];
            warnings: components["schemas"]["PolicyWarning"][];
            card_gaps: components["schemas"]["CardGap"][];
            coverage: components["schemas"]["CardCoverage"];
            policy_id: string | null;
            policy_version: number | null;
            evaluated_at: string;
            context: components["schemas"]["EvaluationContext"];
            duration_ms: number;
            enforcement_mode: components["schemas"]["PolicyMode"];
            transaction_id: string | null;
            evaluation_id: string;
            agent_id: string;
            trace_id: string | null;
            /** @description the total; at most 100 are listed */
            violation_count: number;
            /** @description the total; at most 100 are listed */
            warning_count: number;
        };
        /** @description Recovery codes, which are not shown again */
        RecoveryCodes: {
            recovery_codes: string[];
        };
        RefreshToken: {
            refresh_token: string;
        };
        /** @description The agent, and its secret if one was generated */
        RegisteredAgent: {
            agent: components["schemas"]["Agent"];
            agent_secret?: string | null;
            warnings: unknown[];
        };
        /** @description The member is removed */
        RemovedMember: {
            /** @enum {boolean} */
            removed: true;
            org_id: string;
            user_id: string;
        };
        /** @description The configuration is removed */
        RemovedSso: {
            /** @enum {boolean} */
            removed: true;
            note: string;
        };
        /** @description The agent is removed from the team */
        RemovedTeamMember: {
            /** @enum {boolean} */
            removed: true;
            agent_id: string;
        };
        /** @description The new order */
        ReorderedConscienceValues: {
            /** @description false if the order is unchanged */
            reordered: boolean;
            order: string[];
        };
        ReportedOutcome: {
            decision_id: string;
            outcome: components["schemas"]["CallOutcome"];
        };
        ReputationBatch: {
            scores: components["schemas"]["ReputationSummary"][];
        };
        ReputationBatchRequest: {
            agent_ids: string[];
        };
        ReputationChecked: {
            /** @description checkpoints stored since the last full audit and recomputed for this answer */
            since_audit: number;
            /** @description stored since then and not recomputed, because only the newest 1,000 are; 0 as a rule */
            unchecked: number;
            /** @description older checkpoints, chosen at random and recomputed for this answer */
            sampled: number;
            /** @description determines which ones were chosen; 16 hex digits */
            seed: string;
            audited_at: string | null;
        };
        ReputationComparison: {
            agents: components["schemas"]["ComparedReputation"][];
        };
        ReputationHistory: {
            snapshots: components["schemas"]["ReputationSnapshot"][];
        };
        ReputationProof: {
            certificate_hash: string | null;
            merkle_root: string | null;
            hash_chain_valid: boolean;
            /** @description analysed checkpoints, including those excluded from the score */
            checkpoint_count: number;
            latest_checkpoint_id: string | null;
            latest_checkpoint_at: string | null;
            proof_generated_at: string;
            audited_through: number | null;
            audited_at: string | null;
        };
        ReputationScore: {
            agent_id: string;
            score: number | null;
            grade: components["schemas"]["Grade"];
            tier: string;
            is_eligible: boolean;
            checkpoint_count: number;
            confidence: components["schemas"]["Confidence"];
            components: components["schemas"]["ScoreComponent"][];
            computed_at: string;
            trend_30d: number;
            visibility: components["schemas"]["Visibility"];
            a2a_trust_extension: components["schemas"]["TrustExtension"];
            score_interval: components["schemas"]["ScoreInterval"] | null;
            conservative_score: number | null;
            assurance: components["schemas"]["Assurance"] | null;
            assured_score: number | null;
            /** @description The version of the rules from evidence to score. In 1, unverified traces counted and there was no assurance. */
            methodology: string;
            grade_probability: {
                [key: string]: number;
            } | null;
            reason_codes: components["schemas"]["ReasonCode"][] | null;
            recovery_forecast: {
                days: number;
                score: number;
            }[] | null;
            reclassified: components["schemas"]["ReclassifiedViolations"];
        };
        ReputationSnapshot: {
            week_start: string;
            score: number;
            grade: components["schemas"]["Grade"];
            checkpoint_count: number;
            components: components["schemas"]["ComponentHistory"];
            assurance: number | null;
            assured_score: number | null;
        };
        ReputationSummary: {
            agent_id: string;
            score: number | null;
            grade: components["schemas"]["Grade"];
            tier: string;
            confidence: components["schemas"]["Confidence"];
            trend_30d: number;
            assurance: number | null;
            assured_score: number | null;
        };
        ReputationVerification: {
            agent_id: string;
            score: number;
            grade: string;
            /** @description true if every check passes */
            verified: boolean;
            verification: components["schemas"]["ReputationProof"];
            checked: components["schemas"]["ReputationChecked"];
            full_audit: components["schemas"]["FullAudit"] | null;
            computed_at: string;
            assurance: components["schemas"]["Assurance"] | null;
            assured_score: number | null;
            /** @description The version of the rules from evidence to score. In 1, unverified traces counted and there was no assurance. */
            methodology: string;
        };
        ResolvedPolicy: {
            agent_id: string;
            org_id: string;
            resolved_policy: components["schemas"]["EffectivePolicy"];
            sources: {
                org_policy_version: number;
                agent_policy_version: number;
                merge_strategy: string;
            };
            resolved_at: string;
        };
        /** @description The API key is revoked */
        RevokedApiKey: {
            /** @enum {boolean} */
            revoked: true;
            key_id: string;
        };
        /** @description The invitation is revoked */
        RevokedInvitation: {
            /** @enum {boolean} */
            revoked: true;
            invitation_id: string;
        };
        /** @description The connection is revoked */
        RevokedModelConnection: {
            /** @enum {boolean} */
            revoked: true;
            connection_id: string;
        };
        /** @enum {unknown} */
        RiskActionType: "financial_transaction" | "data_access" | "task_delegation" | "tool_invocation" | "autonomous_operation" | "multi_agent_coordination";
        RiskAssessment: {
            assessment_id: string | null;
            agent_id: string;
            risk_score: number;
            risk_level: components["schemas"]["RiskLevel"];
            recommendation: components["schemas"]["RiskRecommendation"];
            confidence: number;
            contributing_factors: components["schemas"]["RiskFactor"][];
            suggested_thresholds: components["schemas"]["RiskThresholds"];
            breakdown: components["schemas"]["RiskBreakdown"];
            circuit_breakers: components["schemas"]["RiskBreaker"][];
            context: {
                action_type: components["schemas"]["RiskActionType"];
                risk_tolerance: components["schemas"]["RiskTolerance"];
                amount?: number;
                counterparty_id?: string;
                use_case?: string;
            };
            explanation: string;
            /** @enum {string} */
            formula: "risk-v1";
            inputs_commitment: string | null;
            proof_id: string | null;
            proof_status: components["schemas"]["AssessmentProofStatus"];
            created_at: string;
        };
        RiskAssessmentList: {
            assessments: components["schemas"]["ListedRiskAssessment"][];
            total: number;
            limit: number;
            offset: number;
        };
        RiskAssessmentRequest: {
            agent_id: string;
            context: {
                action_type: components["schemas"]["RiskActionType"];
                /** @default moderate */
                risk_tolerance?: components["schemas"]["RiskTolerance"];
                /** @description at most two decimals */
                amount?: number;
                /** @description must differ from agent_id */
                counterparty_id?: string;
                /** @description for your records; does not affect the score */
                use_case?: string;
            };
            /**
             * @description request a proof, if a prover is configured
             * @default true
             */
            prove?: boolean;
        };
        RiskBreakdown: {
            context: number;
            recency: number;
            confidence_penalty: number;
            base: number;
            amount_surcharge: number;
            counterparty_surcharge: number;
        };
        /** @enum {unknown} */
        RiskBreaker: "agent_contained" | "reputation_floor" | "recent_critical_violation" | "insufficient_history" | "autonomy_limit" | "counterparty_contained" | "counterparty_conflict";
        RiskFactor: {
            component: components["schemas"]["ScoreComponentKey"];
            label: string;
            weight: number;
            /** @description the score; a short history moves it towards 500 */
            raw_value: number;
            risk_contribution: number;
            explanation: string;
        };
        RiskHistory: {
            agent_id: string;
            assessments: components["schemas"]["RiskAssessment"][];
            total: number;
            limit: number;
            offset: number;
        };
        RiskInputs: {
            formula: string;
            /** @description the inputs; the commitment is the SHA-256 of their canonical JSON */
            inputs: {
                [key: string]: unknown;
            };
            inputs_commitment: string;
        };
        /** @enum {unknown} */
        RiskLevel: "low" | "medium" | "high" | "critical";
        /** @enum {unknown} */
        RiskRecommendation: "approve" | "review" | "deny";
        /** @enum {unknown} */
        RiskSubject: "agent" | "team";
        RiskThresholds: {
            low: number;
            medium: number;
            high: number;
            critical: number;
        };
        /** @enum {unknown} */
        RiskTolerance: "conservative" | "moderate" | "aggressive";
        /** @enum {unknown} */
        Role: "owner" | "admin" | "auditor" | "member";
        RosterChange: {
            id: string;
            team_id: string;
            change_type: components["schemas"]["RosterChangeType"];
            agent_id: string | null;
            actor_id: string | null;
            created_at: string;
        };
        RosterChangePage: {
            changes: components["schemas"]["RosterChange"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        /** @enum {unknown} */
        RosterChangeType: "agent_added" | "agent_removed";
        RpcBatch: components["schemas"]["RpcRequest"][];
        RpcBatchResponse: components["schemas"]["RpcResponse"][];
        RpcError: {
            code: number;
            message: string;
            data?: string;
        };
        /** @description An error as google.rpc.Status */
        RpcProblem: {
            /** @description A google.rpc.Code */
            code: number;
            message: string;
            /** @description A stable error code */
            error: string;
        };
        RpcRequest: {
            /** @enum {string} */
            jsonrpc: "2.0";
            id?: number | string | null;
            method: string;
            params?: unknown[];
        };
        RpcResponse: {
            /** @enum {string} */
            jsonrpc: "2.0";
            id: number | string | null;
            result?: unknown;
            error?: components["schemas"]["RpcError"];
        };
        SamlConfiguration: {
            /** @enum {boolean} */
            configured: true;
            org_id: string;
            idp_name: string | null;
            default_role: components["schemas"]["JoiningRole"];
            /** @description the highest role of a person’s groups wins, at every sign-in */
            role_mapping: components["schemas"]["SsoRoleMapping"][];
            groups_claim: string;
            allowed_domains: string[];
            enforced: boolean;
            created_at: string;
            updated_at: string;
            /** @enum {string} */
            protocol: "saml";
            metadata_url: string;
            /** @description the entity id of the identity provider */
            entity_id: string;
            sso_url: string;
            /** @description when the last known signing certificate expires; sign-in fails after that */
            certificate_expires_at: string;
            acs_url: string;
            /** @description the entity id of this service */
            sp_entity_id: string;
        };
        SamlResponseForm: {
            SAMLResponse: string;
            /** @description not used */
            RelayState?: string;
        };
        /** @description The stored card template */
        SavedCardTemplate: {
            org_id: string;
            enabled: boolean;
            template: {
                card_id: string;
                agent_id: string | null;
                is_active: boolean;
                card_json: components["schemas"]["CardTemplateJson"];
                conscience_values: components["schemas"]["ConscienceValueContent"][];
                issued_at: string;
            };
            created_by: string;
            updated_by: string;
            created_at: string;
            updated_at: string;
            warnings: components["schemas"]["ValidationFinding"][];
        };
        /** @description The stored policy, with warnings */
        SavedPolicy: {
            id: string;
            version: number;
            meta: components["schemas"]["PolicyMeta"];
            capability_mappings: {
                [key: string]: components["schemas"]["CapabilityMapping"];
            };
            forbidden: components["schemas"]["ForbiddenRule"][];
            escalation_triggers: components["schemas"]["EscalationTrigger"][];
            limits?: components["schemas"]["PolicyLimit"][];
            flows?: components["schemas"]["PolicyFlow"][];
            model_limits?: components["schemas"]["ModelLimit"][];
            defaults: components["schemas"]["PolicyDefaults"];
            created_at: string;
            updated_at: string;
            warnings: components["schemas"]["ValidationFinding"][];
        };
        /** @description The stored team card */
        SavedTeamCard: {
            card_id: string;
            team_id: string;
            version: number;
            card_source: components["schemas"]["TeamCardSource"];
            issued_at: string;
        };
        ScittProof: {
            /** @description COSE_Sign1 in base64; its payload is the entry */
            statement: string;
            /** @description COSE receipt (RFC 9942) in base64, with a proof of type RFC9162_SHA256 */
            receipt: string;
        };
        /** @enum {unknown} */
        Scope: "read" | "ingest" | "write" | "onchain" | "decide" | "approve";
        ScoreComponent: {
            key: components["schemas"]["ScoreComponentKey"];
            label: string;
            score: number | null;
            weight: number;
            weighted_score: number | null;
            factors: string[];
            basis: ("measured" | "default") | null;
            n: number | null;
        };
        /** @enum {unknown} */
        ScoreComponentKey: "integrity_ratio" | "compliance" | "drift_stability" | "trace_completeness" | "coherence_compatibility";
        ScoreImpact: {
            score_before: number | null;
            score_after: number | null;
            recomputation_pending: boolean;
        };
        ScoreInterval: {
            level: number;
            low: number;
            high: number;
        };
        ScorePublication: {
            publication_id: string;
            tx_hash: string;
            block_number: number;
            gas_used: number;
            agent_count: number;
            published_at: string;
        };
        ScorePublicationRequest: {
            publications: components["schemas"]["ScoreToPublish"][];
        };
        ScorePublicationSummary: {
            publication_id: string;
            agent_count: number;
            tx_hash: string;
            block_number: number;
            published_at: string;
        };
        ScoreToPublish: {
            agent_id: string;
            score: number;
            grade: components["schemas"]["RatedGrade"];
        };
        SecondFactor: {
            enabled: boolean;
            confirmed_at: string | null;
            recovery_codes_left: number;
        };
        SecondFactorChallenge: {
            /** @enum {boolean} */
            mfa_required: true;
            /** @description for POST /v1/auth/login/second-factor */
            challenge_token: string;
            /** @description seconds */
            expires_in: number;
        };
        SecondFactorConfirmation: {
            code: string;
        };
        SecondFactorEnrolment: {
            current_password: string;
        };
        SecondFactorProof: {
            current_password: string;
            code: string;
        };
        Session: {
            session_id: string;
            checkpoint_count: number;
            analyzed_count: number;
            verdicts: components["schemas"]["VerdictCounts"];
            stable: boolean;
            started_at: string;
            last_at: string;
        };
        SessionPage: {
            sessions: components["schemas"]["Session"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        /** @enum {unknown} */
        Severity: "low" | "medium" | "high" | "critical";
        ShapleyMethod: {
            /** @enum {unknown} */
            method: "exact" | "sampled";
            permutations: number;
            /** @description the largest standard error, in the unit of the values */
            std_error: number;
        };
        SignIn: {
            email: string;
            password: string;
        };
        SignInCode: {
            challenge_token: string;
            /** @description from the authenticator app, or a recovery code */
            code: string;
        };
        SignInSession: {
            session_id: string;
            user_agent: string | null;
            address: string | null;
            created_at: string;
            last_used_at: string;
            expires_at: string;
            /** @description the session of this request */
            current: boolean;
        };
        SignInSessionList: {
            sessions: components["schemas"]["SignInSession"][];
        };
        SignUp: {
            email: string;
            password: string;
            name?: string | null;
            invitation_token?: string | null;
        };
        SigningKey: {
            /** @enum {string} */
            kty: "OKP";
            /** @enum {string} */
            crv: "Ed25519";
            x: string;
            kid: string;
            /**
             * @description log: signs checkpoints of the witnessed log
             * @enum {unknown}
             */
            use: "sig" | "log";
            /** @enum {string} */
            alg: "EdDSA";
            key_id: string;
            /** @enum {string} */
            algorithm: "Ed25519";
            /** @description the raw 32 bytes in hex */
            public_key: string;
            /** @description the same key for Standard Webhooks v1a signatures */
            whpk: string;
            created_at: string;
            is_active: boolean;
        };
        SigningKeySet: {
            keys: components["schemas"]["SigningKey"][];
        };
        SimulatedScore: {
            score: number | null;
            grade: components["schemas"]["Grade"];
            tier: string;
            is_eligible: boolean;
            checkpoint_count: number;
            confidence: string;
            components: components["schemas"]["ScoreComponent"][];
        };
        Simulation: {
            agent_id: string;
            current: components["schemas"]["SimulatedScore"];
            predicted: components["schemas"]["SimulatedScore"];
        };
        /** @description A hypothesis: checkpoints and traces are added now, some checkpoints are reclassified as card gaps, and then days pass. Each added violation counts as a separate session. */
        SimulationRequest: {
            add_clear?: number;
            add_review_needed?: number;
            add_boundary_violations?: number;
            add_traces?: number;
            card_gap_ids?: string[];
            advance_days?: number;
        };
        SsoCode: {
            code: string;
        };
        /** @description The SSO configuration */
        SsoConfiguration: components["schemas"]["SamlConfiguration"] | components["schemas"]["OidcConfiguration"];
        /** @description How the address signs in */
        SsoDomain: {
            /** @description whether this address signs in with single sign-on */
            sso: boolean;
            org_id: string | null;
            login_url: string | null;
            /** @description whether the organisation accepts only single sign-on */
            enforced: boolean;
        };
        SsoNotConfigured: {
            /** @enum {boolean} */
            configured: false;
        };
        /** @enum {unknown} */
        SsoProtocol: "saml" | "oidc";
        SsoRoleMapping: {
            group: string;
            role: components["schemas"]["JoiningRole"];
        };
        SsoSettings: {
            /** @default saml */
            protocol?: components["schemas"]["SsoProtocol"];
            metadata_url?: string;
            issuer?: string;
            client_id?: string;
            client_secret?: string | null;
            /** @description openid is always requested; default openid, email and profile */
            scopes?: string[];
            idp_name?: string | null;
            default_role?: components["schemas"]["JoiningRole"];
            /** @description the highest role of a person’s groups wins, at every sign-in */
            role_mapping?: components["schemas"]["SsoRoleMapping"][];
            /**
             * @description the claim or SAML attribute that lists a person’s groups
             * @default groups
             */
            groups_claim?: string;
            /** @description e-mail domains; each belongs to at most one organisation */
            allowed_domains: string[];
            /** @default false */
            enforced?: boolean;
        };
        /** @description The SSO configuration, if there is one */
        SsoState: components["schemas"]["SamlConfiguration"] | components["schemas"]["OidcConfiguration"] | components["schemas"]["SsoNotConfigured"];
        SsoTest: {
            metadata_url?: string;
            issuer?: string;
        };
        SsoTestResult: {
            valid: boolean;
            error: string | null;
            metadata_url: string | null;
            issuer: string | null;
        };
        /** @enum {unknown} */
        StandingFinding: "blocked" | "violations" | "drift_alerts";
        /** @enum {unknown} */
        StandingSort: "name" | "score" | "trend" | "blocked" | "violations" | "drift_alerts" | "last_seen" | "updated" | "registered";
        /** @description The impersonation session and its token */
        StartedImpersonation: {
            session_id: string;
            token: string | null;
            target_user_id: string;
            target_email: string | null;
            expires_at: string;
        };
        /** @enum {unknown} */
        StatsGrouping: "decision" | "tool" | "agent" | "source";
        /** @enum {unknown} */
        StatsInterval: "minute" | "hour" | "day";
        /** @enum {unknown} */
        StoppedEffect: "block" | "escalate";
        StoppedTool: {
            tool: string;
            effect: components["schemas"]["StoppedEffect"];
            /** @description those of the policy */
            reasons: string[];
            decisions: number;
            traces: number;
            /** @description how many of these calls were used, asked, refused, bypassed, would_be_refused, flagged_session, unverified_trace, failed_policy, no_outcome, failed, not_executed, contradicted_trace, forbidden_now, unusable_name */
            findings: {
                [key: string]: number;
            };
            last_seen: string;
            example_decision_id: string | null;
            example_trace_id: string | null;
        };
        /** @enum {unknown} */
        Synergy: "synergistic" | "neutral" | "anti-synergistic";
        Team: {
            id: string;
            org_id: string;
            name: string;
            description: string | null;
            status: components["schemas"]["TeamStatus"];
            metadata: {
                [key: string]: unknown;
            };
            visibility: components["schemas"]["Visibility"];
            member_count: number;
            created_at: string;
            updated_at: string;
            archived_at: string | null;
        };
        /** @enum {unknown} */
        TeamBadgeVariant: "score" | "score_tier" | "score_trend" | "compact";
        TeamCard: {
            card_id: string;
            team_id: string;
            version: number;
            card_json: components["schemas"]["TeamCardJson"];
            card_source: components["schemas"]["TeamCardSource"];
            issued_at: string;
            is_active: boolean;
        };
        TeamCardChange: {
            principal: {
                [key: string]: unknown;
            };
            values: {
                [key: string]: unknown;
            };
            autonomy_envelope: {
                [key: string]: unknown;
            };
            audit_commitment: {
                [key: string]: unknown;
            };
            extensions?: {
                [key: string]: unknown;
            };
            team_mission?: string;
            coordination_mode?: components["schemas"]["TeamCoordinationMode"];
            member_requirements?: {
                required_values?: string[];
                min_retention_days?: number;
            };
            /**
             * @default manual
             * @enum {unknown}
             */
            card_source?: "manual" | "hybrid";
        };
        /** @description An alignment card with the additional fields of a team */
        TeamCardJson: {
            [key: string]: unknown;
        };
        /** @enum {unknown} */
        TeamCardSource: "manual" | "auto_derived" | "hybrid";
        TeamCardVersion: {
            card_id: string;
            version: number;
            card_source: components["schemas"]["TeamCardSource"];
            issued_at: string;
            is_active: boolean;
            actor_id: string;
            card_json?: components["schemas"]["TeamCardJson"];
        };
        TeamCardVersionPage: {
            cards: components["schemas"]["TeamCardVersion"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        TeamChanges: {
            /** @description 1 to 100 characters after trimming */
            name?: string;
            description?: string | null;
            /** @description at most 16 KB */
            metadata?: {
                [key: string]: unknown;
            };
            visibility?: components["schemas"]["Visibility"];
        };
        /** @enum {unknown} */
        TeamCoordinationMode: "collaborative" | "hierarchical" | "autonomous";
        TeamForecast: {
            forecast_id: string;
            fault_line_analysis_id: string;
            failure_modes: components["schemas"]["FailureMode"][];
            overall_risk_level: components["schemas"]["Severity"];
            confidence: number;
            created_at: string;
            produced_by: components["schemas"]["IntelligenceProducer"];
            /** @description Why rules were used although a model is configured */
            fallback_reason?: components["schemas"]["FallbackReason"];
        };
        TeamMember: {
            team_id: string;
            agent_id: string;
            agent_name: string;
            added_at: string;
            removed_at: null;
        };
        TeamPage: {
            teams: components["schemas"]["Team"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        TeamReputation: {
            team_id: string;
            team_name: string;
            status: components["schemas"]["TeamStatus"];
            score: number | null;
            grade: components["schemas"]["Grade"];
            tier: string;
            confidence: components["schemas"]["Confidence"];
            is_eligible: boolean;
            components: components["schemas"]["TeamScoreComponent"][];
            total_assessments: number;
            last_assessed: string | null;
            trend_30d: number;
            visibility: components["schemas"]["Visibility"];
            member_count: number;
            computed_at: string;
            a2a_trust_extension: components["schemas"]["TeamTrustExtension"] | null;
        };
        TeamReputationHistory: {
            snapshots: components["schemas"]["TeamReputationSnapshot"][];
        };
        TeamReputationProof: {
            proof_hash: string;
            assessment_chain_head: string;
            hash_chain_valid: boolean;
            total_assessments: number;
            latest_assessment_id: string | null;
            latest_assessment_at: string | null;
            member_score_hashes: string[];
            proof_generated_at: string;
        };
        TeamReputationSnapshot: {
            team_id: string;
            week_start: string;
            score: number;
            grade: components["schemas"]["Grade"];
            components: {
                [key: string]: number;
            };
            total_assessments: number;
            created_at: string;
        };
        TeamReputationVerification: {
            team_id: string;
            score: number | null;
            grade: components["schemas"]["Grade"];
            verified: boolean;
            verification: components["schemas"]["TeamReputationProof"] | null;
            computed_at: string;
        };
        TeamRiskAssessment: {
            assessment_id: string;
            team_id: string | null;
            agent_ids: string[];
            team_risk_score: number;
            team_risk_level: components["schemas"]["RiskLevel"];
            team_coherence_score: number;
            team_recommendation: components["schemas"]["TeamRiskRecommendation"];
            portfolio_risk: number;
            coherence_risk: number;
            structural_risk: number;
            concentration_risk: number;
            weakest_link_risk: number;
            circuit_breakers: components["schemas"]["TeamRiskBreaker"][];
            shapley_values: {
                [key: string]: number;
            };
            risk_attribution: {
                [key: string]: number;
            };
            shapley_method: components["schemas"]["ShapleyMethod"];
            outliers: components["schemas"]["TeamRiskOutlier"][];
            clusters: components["schemas"]["TeamRiskCluster"][];
            /** @description at most 100, the largest impact first */
            value_divergences: components["schemas"]["TeamRiskDivergence"][];
            /** @description the total */
            value_divergence_count: number;
            synergy_type: components["schemas"]["Synergy"];
            individual_assessments: components["schemas"]["RiskAssessment"][];
            context: {
                action_type: components["schemas"]["RiskActionType"];
                risk_tolerance: components["schemas"]["RiskTolerance"];
                team_task?: string;
                coordination_mode?: components["schemas"]["CoordinationMode"];
            };
            explanation: string;
            /** @enum {string} */
            formula: "team-risk-v1";
            inputs_commitment: string;
            proof_id: string | null;
            proof_status: components["schemas"]["AssessmentProofStatus"];
            created_at: string;
        };
        TeamRiskAssessmentRequest: {
            /** @description the order says which agents precede and lead others; default: the members of team_id */
            agent_ids?: string[];
            /** @description an active team of your organisation */
            team_id?: string;
            context: {
                action_type: components["schemas"]["RiskActionType"];
                /** @default moderate */
                risk_tolerance?: components["schemas"]["RiskTolerance"];
                /** @description for your records; does not affect the score */
                team_task?: string;
                coordination_mode?: components["schemas"]["CoordinationMode"];
            };
            /**
             * @description request a proof, if a prover is configured
             * @default true
             */
            prove?: boolean;
        };
        /** @enum {unknown} */
        TeamRiskBreaker: "member_contained" | "member_reputation_floor" | "boundary_incompatible";
        TeamRiskCluster: {
            cluster_id: string;
            agent_ids: string[];
            internal_risk: number;
            shared_risk_factors: ("integrity_ratio" | "compliance" | "drift_stability" | "trace_completeness" | "coherence_compatibility" | "correlated_violations")[];
        };
        TeamRiskDivergence: {
            value: string;
            declaring_agents: string[];
            missing_agents: string[];
            conflicting_agents: string[];
            risk_impact: number;
        };
        TeamRiskHistory: {
            team_id: string;
            assessments: components["schemas"]["TeamRiskAssessment"][];
            total: number;
            limit: number;
            offset: number;
        };
        TeamRiskOutlier: {
            agent_id: string;
            individual_risk_score: number;
            shapley_value: number;
            systemic_contribution: number;
            primary_risk_factors: string[];
        };
        /** @enum {unknown} */
        TeamRiskRecommendation: "approve_team" | "review" | "approve_individuals_only" | "deny";
        TeamScoreComponent: {
            key: components["schemas"]["TeamScoreComponentKey"];
            label: string;
            score: number;
            weight: number;
            weighted_score: number;
            factors: string[];
        };
        /** @enum {unknown} */
        TeamScoreComponentKey: "coherence_history" | "member_quality" | "operational_record" | "structural_stability" | "assessment_density";
        TeamSelection: {
            team_id: string;
        };
        /** @enum {unknown} */
        TeamStatus: "active" | "archived";
        TeamTrustExtension: {
            provider: string;
            score: number;
            grade: components["schemas"]["Grade"];
            verified_url: string;
            badge_url: string;
            verify_url: string;
            extension_uri: string;
            confidence: string;
            methodology_url: string;
            last_updated: string;
            member_count: number;
        };
        /** @description The team and its members */
        TeamWithMembers: {
            team: components["schemas"]["Team"];
            members: components["schemas"]["TeamMember"][];
        };
        /** @description An error of the teams endpoints */
        TextProblem: {
            /** @description A description of the error */
            error: string;
        };
        /** @description The tokens of the session */
        Tokens: {
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description seconds */
            expires_in: number;
            refresh_token: string;
            user: components["schemas"]["User"];
        };
        ToolCall: {
            /** @description needed unless the API key is bound to an agent, which is the default then */
            agent_id?: string;
            /** @description 1 to 256 characters without white space */
            tool: string;
            /** @description the arguments of the call, at most 1 MB; conditions can refer to them; stored only if the call is escalated */
            arguments?: {
                [key: string]: unknown;
            };
            /** @description the agent's own words, shown to the person who approves as untrusted text */
            justification?: string;
            session_id?: string;
            /** @description your own id of the tool call, such as an MCP request id */
            call_id?: string;
            /** @description the transaction of the call; X-Transaction-Id is accepted, too */
            transaction_id?: string;
            /** @description from an earlier decision about the same call; a call with equal agent, tool, session and arguments also uses its approval without it */
            escalation_id?: string;
        };
        ToolCalls: {
            calls: components["schemas"]["ToolCall"][];
        };
        ToolChange: {
            sha256: string;
            definition: {
                [key: string]: unknown;
            };
            seen_at: string;
        };
        ToolDefinition: {
            /** @description the server's own name */
            name: string;
            description?: string;
            input_schema: {
                [key: string]: unknown;
            };
            annotations?: {
                [key: string]: unknown;
            };
        };
        ToolImpact: {
            /** @description * for the call as a whole */
            tool: string;
            /** @description fail with the draft but not today */
            newly_failing: number;
            /** @description fail today but not with the draft */
            newly_passing: number;
            unchanged: number;
            /** @description the newest 10 traces whose verdict changes */
            samples: {
                trace_id: string;
                agent_id: string;
                timestamp: string;
                before: components["schemas"]["PolicyVerdict"];
                after: components["schemas"]["PolicyVerdict"];
            }[];
        };
        ToolPin: {
            server: string;
            /** @description the server's own name */
            tool: string;
            /** @description the name in policies and decisions */
            policy_tool: string;
            sha256: string;
            definition: {
                [key: string]: unknown;
            };
            pinned_at: string;
            pinned_by: string | null;
            change: components["schemas"]["ToolChange"] | null;
        };
        ToolPinAcceptance: {
            /** @description the name of the MCP server in policies */
            server: string;
            /** @description the server's own name */
            tool: string;
            /** @description of the canonical JSON of the definition */
            sha256: string;
        };
        ToolPinPage: {
            tool_pins: components["schemas"]["ToolPin"][];
            total: number;
            page: number;
            per_page: number;
        };
        ToolReport: {
            /** @description the name of the MCP server in policies */
            server: string;
            /** @description as the server lists them, each with at most 64 KB of canonical JSON */
            tools: components["schemas"]["ToolDefinition"][];
        };
        ToolReportResult: {
            server: string;
            /** @description tools that were seen for the first time */
            pinned: string[];
            /** @description reported tools with a change that nobody has accepted */
            changed: string[];
        };
        Trace: {
            trace_id: string;
            agent_id: string;
            card_id: string;
            timestamp: string;
            action: components["schemas"]["TraceAction"];
            decision: {
                selected: string;
                selection_reasoning: string;
                values_applied: string[];
                alternatives_considered?: {
                    option_id: string;
                    description: string;
                    score?: number;
                    scoring_factors?: {
                        [key: string]: unknown;
                    };
                    flags?: string[];
                }[];
                confidence: number | null;
            };
            escalation: components["schemas"]["TraceEscalation"] | null;
            context: {
                session_id: string;
                conversation_turn?: number;
                prior_trace_ids?: string[];
                environment?: {
                    [key: string]: unknown;
                };
                metadata?: {
                    [key: string]: unknown;
                };
            };
            tools: string[];
            verification: components["schemas"]["TraceVerification"];
            policy: {
                verdict: components["schemas"]["PolicyVerdict"];
                violations: number;
                warnings: number;
                policy_id: string | null;
                policy_version: number | null;
                tools: string[];
            } | null;
            decision_id: string | null;
            /** @description how the service came to know the record */
            provenance: components["schemas"]["Provenance"];
            created_at: string;
            received_at: string;
        };
        TraceAction: {
            type: components["schemas"]["TraceActionType"];
            name: string;
            category: components["schemas"]["TraceActionCategory"];
            target?: {
                type?: string;
                identifier?: string;
            };
            parameters?: {
                [key: string]: unknown;
            };
        };
        /** @enum {unknown} */
        TraceActionCategory: "bounded" | "escalation_trigger" | "forbidden";
        /** @enum {unknown} */
        TraceActionType: "recommend" | "execute" | "escalate" | "deny";
        TraceBatchItem: {
            index: number;
            /** @enum {unknown} */
            status: "created" | "duplicate" | "rejected";
            trace_id?: string;
            verified?: boolean;
            error?: string;
            message?: string;
        };
        TraceBatchResult: {
            results: components["schemas"]["TraceBatchItem"][];
            accepted: number;
            duplicates: number;
            rejected: number;
        };
        TraceEscalation: {
            evaluated: boolean;
            required: boolean;
            reason: string;
            triggers_checked?: {
                trigger: string;
                matched: boolean;
                value_observed?: unknown;
            }[];
            escalation_id?: string;
            escalation_status?: components["schemas"]["TraceEscalationStatus"];
            principal_response?: {
                decision?: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                 */
                timestamp?: string;
                conditions?: unknown;
            };
        };
        /** @enum {unknown} */
        TraceEscalationStatus: "pending" | "approved" | "denied" | "timeout";
        TracePage: {
            traces: components["schemas"]["Trace"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        /** @enum {unknown} */
        TraceRecommendedAction: "proceed" | "review" | "deny";
        TraceToVerify: {
            trace: components["schemas"]["NewTrace"];
            /** @description an alignment card; default: the stored one */
            card?: unknown;
        };
        TraceVerification: {
            verified: boolean;
            violations: components["schemas"]["TraceViolationType"][];
            violation_details: components["schemas"]["TraceViolation"][];
            warnings: {
                type: string;
                description: string;
                trace_field: string;
            }[];
            similarity_score: number;
            recommended_action: components["schemas"]["TraceRecommendedAction"];
            verified_at: string;
            algorithm_version: string;
            card_id: string;
        };
        TraceVerificationResult: {
            verified: boolean;
            violations: components["schemas"]["TraceViolationType"][];
            violation_details: components["schemas"]["TraceViolation"][];
            warnings: {
                type: string;
                description: string;
                trace_field: string;
            }[];
            similarity_score: number;
            recommended_action: components["schemas"]["TraceRecommendedAction"];
            verified_at: string;
            algorithm_version: string;
            card_id: string | null;
        };
        TraceViolation: {
            type: components["schemas"]["TraceViolationType"];
            /** @enum {unknown} */
            severity: "critical" | "high" | "medium";
            description: string;
            trace_field: string;
        };
        /** @enum {unknown} */
        TraceViolationType: "CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE";
        Transaction: {
            transaction_id: string;
            agent_id: string;
            description: string;
            action_type: components["schemas"]["TransactionActionType"];
            status: components["schemas"]["TransactionStatus"];
            tools: string[];
            team_ids: string[];
            created_at: string;
            expires_at: string;
            completed_at: string | null;
            /** @description the policy that was merged from all layers at creation; each evaluation merges again */
            merged_policy: {
                [key: string]: unknown;
            };
        };
        /** @enum {unknown} */
        TransactionActionType: "financial_operation" | "financial_transaction" | "data_access" | "data_modification" | "content_generation" | "communication" | "code_execution" | "tool_invocation" | "task_delegation" | "autonomous_operation" | "multi_agent_coordination";
        TransactionPage: {
            transactions: components["schemas"]["TransactionSummary"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        /** @enum {unknown} */
        TransactionStatus: "active" | "completed" | "expired";
        TransactionSummary: {
            transaction_id: string;
            agent_id: string;
            description: string;
            action_type: components["schemas"]["TransactionActionType"];
            status: components["schemas"]["TransactionStatus"];
            tools: string[];
            team_ids: string[];
            created_at: string;
            expires_at: string;
            completed_at: string | null;
        };
        TreeHead: {
            agent_id: string;
            merkle_root: string;
            /** @description merkle_root with a 0x prefix */
            onchain_root: string;
            tree_depth: number;
            leaf_count: number;
            last_updated: string;
            key_id: string;
            /** @description Ed25519, base64, over canonical JSON of agent_id, leaf_count and merkle_root */
            signature: string;
        };
        /** @enum {unknown} */
        TrustDirection: "out" | "in" | "both";
        TrustEdge: {
            id: string;
            source_agent_id: string;
            target_agent_id: string;
            trust_level: components["schemas"]["TrustLevel"];
            reason: string | null;
            created_at: string;
        };
        TrustEdgePage: {
            trust_edges: components["schemas"]["TrustEdge"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        TrustExtension: {
            provider: string;
            score: number | null;
            grade: components["schemas"]["Grade"];
            verified_url: string;
            badge_url: string;
            verify_url: string;
            extension_uri: string;
            confidence: string;
            assurance: number | null;
            assured_score: number | null;
            methodology_url: string;
            last_updated: string;
        };
        /** @enum {unknown} */
        TrustLevel: "high" | "medium" | "low";
        /** @description The new enforcement mode of the agent */
        UpdatedEnforcement: {
            agent_id: string;
            enforcement_mode: components["schemas"]["EnforcementMode"];
            nudge_strategy: components["schemas"]["NudgeStrategy"];
            nudge_rate: number;
            nudge_threshold: number;
            /** @enum {boolean} */
            updated: true;
        };
        /** @description The usage by day */
        Usage: {
            org_id: string;
            daily: components["schemas"]["UsageDay"][];
        };
        UsageDay: {
            /** Format: date */
            date: string;
            checks: number;
            team_reputation: number;
            risk_assessment: number;
            team_risk_assessment: number;
        };
        User: {
            user_id: string;
            email: string | null;
        };
        ValidationFinding: {
            path: string;
            code: string;
            message: string;
        };
        ValueDivergence: {
            value: string;
            agents_declaring: string[];
            agents_missing: string[];
            agents_conflicting: string[];
            impact_on_fleet_score: number;
        };
        /** @enum {unknown} */
        Verdict: "clear" | "review_needed" | "boundary_violation";
        VerdictCounts: {
            clear: number;
            review_needed: number;
            boundary_violation: number;
        };
        Violation: {
            checkpoint_id: string;
            session_id: string;
            trace_id: string | null;
            verdict: string;
            type: string;
            severity: string | null;
            description: string | null;
            card_id: string;
            detected_at: string;
            reclassified_as: components["schemas"]["ReclassifiedType"] | null;
            reclassification_id: string | null;
            counts_against_score: boolean;
            certificate_hash: string | null;
            policy: {
                verdict: string;
                violations: number;
                warnings: number;
            } | null;
            /** @description ids of the amendments that loosened the card from the violation until 24 hours after it was received */
            loosened_by: string[];
            comment_count: number;
            /** @description the last 20, oldest first */
            comments: components["schemas"]["ViolationComment"][];
        };
        ViolationComment: {
            id: string;
            checkpoint_id: string;
            author: string;
            text: string;
            created_at: string;
            /** @description entry_hash of the agent's previous entry */
            prev_hash: string;
            /** @description SHA-256, in hex, of prev_hash, a line feed, and the entry without both hashes as RFC 8785 JSON */
            entry_hash: string;
        };
        ViolationCommentPage: {
            comments: components["schemas"]["ViolationComment"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        ViolationPage: {
            violations: components["schemas"]["Violation"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        /** @enum {unknown} */
        ViolationStatus: "open" | "reclassified" | "all";
        ViolationType: {
            type: string;
            count: number;
            /** @description the others need review */
            boundary_violations: number;
            reclassified: number;
            /** @description in which they occurred */
            sessions: number;
            last_at: string;
        };
        ViolationTypes: {
            types: components["schemas"]["ViolationType"][];
        };
        /** @enum {unknown} */
        ViolationVerdict: "boundary_violation" | "review_needed";
        /** @enum {unknown} */
        Visibility: "public" | "unlisted" | "private";
        Webhook: {
            endpoint_id: string;
            billing_account_id: string;
            url: string;
            description: string | null;
            event_types: string[];
            is_active: boolean;
            consecutive_failures: number;
            disabled_at: string | null;
            disabled_reason: string | null;
            created_at: string;
            updated_at: string;
        };
        WebhookAttempt: {
            at: string;
            status: number | null;
            latency_ms: number | null;
            error: string | null;
        };
        WebhookChanges: {
            /** @description https, at most 2048 characters, resolving to a public address */
            url?: string;
            description?: string | null;
            /** @description types, families such as trace.*, or *; empty means all */
            event_types?: components["schemas"]["EventSubscription"][];
            /** @description true enables it and resets the count of failures */
            is_active?: boolean;
        };
        WebhookDelivery: {
            delivery_id: string;
            event_id: string;
            endpoint_id: string;
            event_type: string;
            status: components["schemas"]["DeliveryStatus"];
            attempt_count: number;
            max_attempts: number;
            last_response_status: number | null;
            last_error: string | null;
            latency_ms: number | null;
            next_attempt_at: string | null;
            created_at: string;
            updated_at: string;
        };
        /** @description The delivery, its payload and its attempts */
        WebhookDeliveryDetail: {
            delivery_id: string;
            event_id: string;
            endpoint_id: string;
            event_type: string;
            status: components["schemas"]["DeliveryStatus"];
            attempt_count: number;
            max_attempts: number;
            last_response_status: number | null;
            last_error: string | null;
            latency_ms: number | null;
            next_attempt_at: string | null;
            created_at: string;
            updated_at: string;
            /** @description the payload as it was sent */
            payload: {
                [key: string]: unknown;
            };
            attempts: components["schemas"]["WebhookAttempt"][];
        };
        WebhookDeliveryPage: {
            deliveries: components["schemas"]["WebhookDelivery"][];
            total: number;
            /** @description with offset, the page that contains the first entry */
            page: number;
            per_page: number;
            limit?: number;
            offset?: number;
        };
        WebhookList: {
            webhooks: components["schemas"]["Webhook"][];
        };
        /** @description The new delivery */
        WebhookRedelivery: {
            delivery_id: string;
            event_id: string;
            /** @enum {string} */
            status: "pending";
        };
        /** @description The accepted replay */
        WebhookReplay: {
            replay_id: string;
            endpoint_id: string;
            since: string;
            until: string;
            event_types: string[] | null;
        };
        WebhookReplayRequest: {
            /**
             * Format: date-time
             * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
             */
            since: string;
            /** @description the types to send; default: those that the webhook subscribes to */
            event_types?: components["schemas"]["EventSubscription"][];
        };
        /** @description The new signing secret */
        WebhookSecret: {
            endpoint_id: string;
            signing_secret: string | null;
        };
        WebhookSecretRotation: {
            /**
             * @description how many hours webhook-signature also contains a signature by the old secret
             * @default 0
             */
            overlap_hours?: number;
        };
        /** @description The response of the endpoint */
        WebhookTest: {
            success: boolean;
            status: number | null;
            latency_ms: number | null;
            error: string | null;
        };
        /** @description The webhook and its signing secret */
        WebhookWithSecret: {
            endpoint_id: string;
            billing_account_id: string;
            url: string;
            description: string | null;
            event_types: string[];
            is_active: boolean;
            consecutive_failures: number;
            disabled_at: string | null;
            disabled_reason: string | null;
            created_at: string;
            updated_at: string;
            signing_secret: string | null;
        };
        WitnessCheck: {
            name: string;
            /** @description the outcome of the last request */
            status: string;
            /** @description the newest checkpoint that it cosigned */
            size: number;
            cosigned_at: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getJwks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JwkSet"];
                };
            };
        };
    };
    getOpenIdConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenIdConfiguration"];
                };
            };
        };
    };
    callDevChain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RpcRequest"] | components["schemas"]["RpcBatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcResponse"] | components["schemas"]["RpcBatchResponse"];
                };
            };
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    getStartup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
        };
    };
    getWritability: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
        };
    };
    getLogCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    setOrgPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlanChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrgPlan"];
                };
            };
        };
    };
    restoreOrg: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Org"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description only this agent */
                agent_id?: string;
                /** @description part of the name or id */
                q?: string;
                visibility?: components["schemas"]["Visibility"];
                /** @description archived agents are listed only with status=archived */
                status?: components["schemas"]["AgentStatus"];
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentPage"];
                };
            };
        };
    };
    registerAgent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAgent"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredAgent"];
                };
            };
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentView"];
                };
            };
        };
    };
    archiveAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    getAgentCard: {
        parameters: {
            query?: {
                version?: number;
                /** @description true: the composed card; for the owning organisation only */
                effective?: boolean;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentCard"];
                    "application/yaml": string;
                };
            };
        };
    };
    replaceAgentCard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        /** @description The card itself, or {card_json, conscience_values?, reason?}; as JSON or YAML, by Content-Type. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlignmentCardSubmission"];
                "text/yaml": components["schemas"]["AlignmentCardSubmission"];
                "application/yaml": components["schemas"]["AlignmentCardSubmission"];
                "application/x-yaml": components["schemas"]["AlignmentCardSubmission"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentCardChange"];
                };
            };
        };
    };
    patchAgentCard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentCardPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentCardChange"];
                };
            };
        };
    };
    listCardAmendments: {
        parameters: {
            query?: {
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CardAmendmentPage"];
                };
            };
        };
    };
    listAgentCardVersions: {
        parameters: {
            query?: {
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentCardVersionPage"];
                };
            };
        };
    };
    validateAgentCard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        /** @description The card itself, or {card_json, conscience_values?, reason?}; as JSON or YAML, by Content-Type. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlignmentCardSubmission"];
                "text/yaml": components["schemas"]["AlignmentCardSubmission"];
                "application/yaml": components["schemas"]["AlignmentCardSubmission"];
                "application/x-yaml": components["schemas"]["AlignmentCardSubmission"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CardValidation"];
                };
            };
        };
    };
    listCheckpoints: {
        parameters: {
            query?: {
                verdict?: components["schemas"]["Verdict"];
                session_id?: string;
                synthetic?: boolean;
                flagged?: boolean;
                /** @description how the service came to know the record */
                provenance?: components["schemas"]["Provenance"];
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                from?: string;
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                to?: string;
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointPage"];
                };
            };
        };
    };
    createCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        /** @description A submission: thinking, output or both, at most 400,000 characters each. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCheckpoint"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointResult"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointResult"];
                };
            };
        };
    };
    claimAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentClaim"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedAgent"];
                };
            };
        };
    };
    exportCompliance: {
        parameters: {
            query?: {
                format?: components["schemas"]["ExportFormat"];
                /** @description the earliest time; weeks count by their start */
                from?: string;
                /** @description the latest time */
                to?: string;
                /** @description for csv, which has one kind of row; default: violations */
                section?: components["schemas"]["ExportSection"];
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComplianceExport"];
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
        };
    };
    listModelConnections: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelConnectionList"];
                };
            };
        };
    };
    createModelConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewModelConnection"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelConnectionWithToken"];
                };
            };
        };
    };
    getModelConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelConnection"];
                };
            };
        };
    };
    revokeModelConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedModelConnection"];
                };
            };
        };
    };
    updateModelConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelConnectionChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelConnection"];
                };
            };
        };
    };
    rotateModelConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelConnectionRotation"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelConnectionWithToken"];
                };
            };
        };
    };
    getAgentConscienceValues: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentConscienceValues"];
                };
            };
        };
    };
    getConsistencyProof: {
        parameters: {
            query: {
                /** @description at least 1 */
                first: number;
                /** @description at least first, at most the current size */
                second: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsistencyProof"];
                };
            };
        };
    };
    listDriftAlerts: {
        parameters: {
            query?: {
                kind?: components["schemas"]["DriftKind"];
                status?: components["schemas"]["DriftStatus"];
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DriftAlertPage"];
                };
            };
        };
    };
    acknowledgeDriftAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DriftAcknowledgement"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcknowledgedDriftAlerts"];
                };
            };
        };
    };
    getEnforcement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Enforcement"];
                };
            };
        };
    };
    setEnforcement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EnforcementChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatedEnforcement"];
                };
            };
        };
    };
    eraseAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentErasureRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentErasure"];
                };
            };
        };
    };
    getIntegrity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentIntegrity"];
                };
            };
        };
    };
    getTreeHead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TreeHead"];
                };
            };
        };
    };
    getModelUsage: {
        parameters: {
            query?: {
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                from?: string;
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                to?: string;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelUsage"];
                };
            };
        };
    };
    setCardTemplateExemption: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardTemplateExemptionChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CardTemplateExemption"];
                };
            };
        };
    };
    getAgentPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                    "application/yaml": string;
                };
            };
        };
    };
    replaceAgentPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        /** @description A policy document: meta {schema_version, name, description?, scope}, capability_mappings? {name: {tools, card_actions, description?}}, forbidden? [{pattern, reason, severity}], escalation_triggers? [{condition, action, reason, severity?, approval?}], limits? [{name, tools, max, per, action?, reason, approval?}], flows? [{name, from, to, action?, reason, approval?}], defaults? {enforcement_mode, unmapped_tool_action, unmapped_severity, grace_period_hours, fail_open, approval, max_identical_calls, changed_tool_action}; as JSON or YAML, by Content-Type. Nothing is blocked unless enforcement_mode is enforce, and unmapped tools are not blocked in their first 24 hours unless grace_period_hours is 0. The policy of a team applies only to transactions of its members. All fields, values and conditions: docs/concepts/policies.md. limits, flows, approval {required, roles, scopes, expires_minutes, local}, max_identical_calls and changed_tool_action need schema_version 1.1. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyDocument"];
                "text/yaml": components["schemas"]["PolicyDocument"];
                "application/yaml": components["schemas"]["PolicyDocument"];
                "application/x-yaml": components["schemas"]["PolicyDocument"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedPolicy"];
                };
            };
        };
    };
    deleteAgentPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listPolicyEvaluations: {
        parameters: {
            query?: {
                verdict?: components["schemas"]["PolicyVerdict"];
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyEvaluationPage"];
                };
            };
        };
    };
    listAgentPolicyVersions: {
        parameters: {
            query?: {
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyVersionPage"];
                };
            };
        };
    };
    getResolvedPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolvedPolicy"];
                };
            };
        };
    };
    getAgentPolicyVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                    "application/yaml": string;
                };
            };
        };
    };
    listReclassifications: {
        parameters: {
            query?: {
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReclassificationPage"];
                };
            };
        };
    };
    reclassifyViolation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewReclassification"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reclassification"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPage"];
                };
            };
        };
    };
    listToolPins: {
        parameters: {
            query?: {
                /** @description the name of the MCP server in policies */
                server?: string;
                /** @description only tools that changed, or only others */
                changed?: boolean;
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolPinPage"];
                };
            };
        };
    };
    acceptTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolPinAcceptance"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolPin"];
                };
            };
        };
    };
    reportTools: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolReport"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolReportResult"];
                };
            };
        };
    };
    listAgentTraces: {
        parameters: {
            query?: {
                session_id?: string;
                verified?: boolean;
                violation?: components["schemas"]["TraceViolationType"];
                action_type?: components["schemas"]["TraceActionType"];
                action_name?: string;
                /** @description how the service came to know the record */
                provenance?: components["schemas"]["Provenance"];
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                from?: string;
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                to?: string;
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TracePage"];
                };
            };
        };
    };
    createAgentTrace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        /** @description An AP-trace, at most 64 KB; agent_id, if given, must match the path. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAgentTrace"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
        };
    };
    listTrustEdges: {
        parameters: {
            query?: {
                /** @description out: agents that it trusts; in: agents that trust it */
                direction?: components["schemas"]["TrustDirection"];
                /** @description default 1 */
                page?: number;
                /** @description default 200; more than 200 is lowered to 200 */
                per_page?: number;
                /** @description instead of page and per_page; default 200; more than 200 is lowered to 200 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrustEdgePage"];
                };
            };
        };
    };
    createTrustEdge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTrustEdge"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrustEdge"];
                };
            };
        };
    };
    deleteTrustEdgeByTarget: {
        parameters: {
            query: {
                target_agent_id: string;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteTrustEdge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
                edge_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listViolationTypes: {
        parameters: {
            query?: {
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                from?: string;
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                to?: string;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ViolationTypes"];
                };
            };
        };
    };
    listViolations: {
        parameters: {
            query?: {
                status?: components["schemas"]["ViolationStatus"];
                verdict?: components["schemas"]["ViolationVerdict"];
                /** @description as of violation-types */
                type?: string;
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                from?: string;
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                to?: string;
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ViolationPage"];
                };
            };
        };
    };
    listViolationComments: {
        parameters: {
            query?: {
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
                checkpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ViolationCommentPage"];
                };
            };
        };
    };
    createViolationComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
                checkpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewViolationComment"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ViolationComment"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedApiKey"];
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyRotation"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
        };
    };
    startBrowserSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshToken"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserSession"];
                };
            };
        };
    };
    endBrowserSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    renewBrowserSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserSession"];
                };
            };
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedAccount"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tokens"] | components["schemas"]["SecondFactorChallenge"];
                };
            };
        };
    };
    signInWithCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInCode"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tokens"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshToken"];
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    requestPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordResetRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordResetAcceptance"];
                };
            };
        };
    };
    confirmPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordResetConfirmation"];
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    refreshTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshToken"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tokens"];
                };
            };
        };
    };
    getSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactor"];
                };
            };
        };
    };
    enrolSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecondFactorEnrolment"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnrolledSecondFactor"];
                };
            };
        };
    };
    confirmSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecondFactorConfirmation"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
        };
    };
    disableSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecondFactorProof"];
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    replaceRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecondFactorProof"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
        };
    };
    listSignInSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInSessionList"];
                };
            };
        };
    };
    endAllSignInSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedSessions"];
                };
            };
        };
    };
    endSignInSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    signUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignUp"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tokens"];
                };
            };
        };
    };
    checkSsoDomain: {
        parameters: {
            query: {
                email: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SsoDomain"];
                };
            };
        };
    };
    exchangeSsoCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SsoCode"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tokens"];
                };
            };
        };
    };
    acceptSsoResponse: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["SamlResponseForm"];
            };
        };
        responses: never;
    };
    acceptSsoCode: {
        parameters: {
            query?: {
                code?: string;
                state?: string;
                error?: string;
                iss?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    startSso: {
        parameters: {
            query?: {
                /** @description a path of the dashboard, returned with the code */
                return_to?: string;
                /** @description returned with the code, so that the caller can recognise its own sign-in */
                state?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    getSsoMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/samlmetadata+xml": string;
                };
            };
        };
    };
    createCheckpointBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCheckpointBatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointBatchResult"];
                };
            };
        };
    };
    getCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                checkpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checkpoint"];
                };
            };
        };
    };
    getCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                checkpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Certificate"];
                };
            };
        };
    };
    getInclusionProof: {
        parameters: {
            query?: {
                /** @description greater than leaf_index, at most the current size; default: the current size */
                tree_size?: number;
            };
            header?: never;
            path: {
                checkpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InclusionProof"];
                };
            };
        };
    };
    checkCoherence: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CoherenceCheck"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Coherence"];
                };
            };
        };
    };
    listDecisions: {
        parameters: {
            query?: {
                agent_id?: string;
                session_id?: string;
                /** @description exact, or a prefix that ends in * */
                tool?: string;
                /** @description repeatable */
                decision?: components["schemas"]["DecisionOutcome"][];
                source?: components["schemas"]["DecisionSource"];
                policy_id?: string;
                escalation_id?: string;
                call_id?: string;
                outcome?: components["schemas"]["DecisionOutcomeFilter"];
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                from?: string;
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                to?: string;
                limit?: number;
                /** @description next_cursor of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecisionRecordList"];
                };
            };
        };
    };
    exportDecisions: {
        parameters: {
            query?: {
                agent_id?: string;
                session_id?: string;
                /** @description exact, or a prefix that ends in * */
                tool?: string;
                /** @description repeatable */
                decision?: components["schemas"]["DecisionOutcome"][];
                source?: components["schemas"]["DecisionSource"];
                policy_id?: string;
                escalation_id?: string;
                call_id?: string;
                outcome?: components["schemas"]["DecisionOutcomeFilter"];
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                from?: string;
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                to?: string;
                format?: components["schemas"]["DecisionExportFormat"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
        };
    };
    reportOutcomes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OutcomeReports"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutcomeResults"];
                };
            };
        };
    };
    getDecisionStats: {
        parameters: {
            query?: {
                /** @description rounded down to the interval; default: 60 minutes, 24 hours or 30 days before to. For minute in the last 48 hours, for hour in the last 90 days */
                from?: string;
                /** @description exclusive, rounded up to the interval; default: now */
                to?: string;
                interval?: components["schemas"]["StatsInterval"];
                group_by?: components["schemas"]["StatsGrouping"];
                /** @description repeatable; counts only these, while durations are of all decisions */
                decision?: components["schemas"]["DecisionOutcome"][];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecisionStats"];
                };
            };
        };
    };
    getDecision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                decision_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvenDecision"];
                };
            };
        };
    };
    reportOutcome: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                decision_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OutcomeReport"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportedOutcome"];
                };
            };
        };
    };
    searchDirectory: {
        parameters: {
            query?: {
                /** @description part of the name or id, at most 200 characters; case is ignored */
                q?: string;
                grade?: components["schemas"]["RatedGrade"];
                confidence?: components["schemas"]["RatedConfidence"];
                /** @description at least this assurance level, 0 to 4 */
                assurance?: "0" | "1" | "2" | "3" | "4";
                /** @description default score; names ascend, numbers descend; ties by score, then id */
                sort?: components["schemas"]["DirectorySort"];
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DirectoryEntryPage"];
                };
            };
        };
    };
    acknowledgeDriftAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                alert_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DriftAlert"];
                };
            };
        };
    };
    listEscalations: {
        parameters: {
            query?: {
                status?: components["schemas"]["EscalationStatus"];
                agent_id?: string;
                /** @description exact */
                tool?: string;
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EscalationPage"];
                };
            };
        };
    };
    getEscalation: {
        parameters: {
            query?: {
                /** @description seconds to wait for a change of a pending escalation; at most 100 requests wait in a process, more are answered at once */
                wait?: number;
            };
            header?: never;
            path: {
                escalation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EscalationDetail"];
                };
            };
        };
    };
    resolveEscalation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                escalation_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EscalationResolution"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Escalation"];
                };
            };
        };
    };
    decideToolCall: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolCall"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decision"];
                };
            };
        };
    };
    decideToolCalls: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolCalls"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decisions"];
                };
            };
        };
    };
    handleHook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description claude-code, codex, cursor, gemini-cli, copilot-cli, opencode, vscode */
                client: string;
            };
            cookie?: never;
        };
        /** @description the input that the client gives to its hooks */
        requestBody: {
            content: {
                "application/json": components["schemas"]["HookEvent"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookAnswer"];
                };
            };
        };
    };
    startImpersonation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImpersonationRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedImpersonation"];
                };
            };
        };
    };
    getImpersonation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Impersonation"];
                };
            };
        };
    };
    endImpersonation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedImpersonation"];
                };
            };
        };
    };
    listSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeySet"];
                };
            };
        };
    };
    getLogConsistency: {
        parameters: {
            query: {
                from: number;
                /** @description default: the published size */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogConsistency"];
                };
            };
        };
    };
    getLogPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getLogProof: {
        parameters: {
            query?: {
                /** @description for an id that records of several types have */
                type?: components["schemas"]["LogEntryType"];
            };
            header?: never;
            path: {
                record_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogProof"];
                    "text/plain": string;
                };
            };
        };
    };
    getScittProof: {
        parameters: {
            query?: {
                /** @description for an id that records of several types have */
                type?: components["schemas"]["LogEntryType"];
            };
            header?: never;
            path: {
                record_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScittProof"];
                };
            };
        };
    };
    anchorRoot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAnchor"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Anchor"];
                };
            };
        };
    };
    getAnchorProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                anchor_id: string;
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnchorProof"];
                };
            };
        };
    };
    getContracts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contracts"];
                };
            };
        };
    };
    listOnChainRecords: {
        parameters: {
            query?: {
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OnChainHistory"];
                };
            };
        };
    };
    publishScores: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScorePublicationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScorePublication"];
                };
            };
        };
    };
    getOnChainStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OnChainStatus"];
                };
            };
        };
    };
    verifyPublishedScore: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedScoreVerification"];
                };
            };
        };
    };
    listOrgs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrgList"];
                };
            };
        };
    };
    createOrg: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOrg"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Org"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationAcceptance"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedInvitation"];
                };
            };
        };
    };
    getOrg: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Org"];
                };
            };
        };
    };
    deleteOrg: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedOrg"];
                };
            };
        };
    };
    updateOrg: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrgChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Org"];
                };
            };
        };
    };
    listAgentStandings: {
        parameters: {
            query?: {
                /** @description rounded down to the interval; default: as of stats */
                from?: string;
                /** @description exclusive, rounded up to the interval; default: now */
                to?: string;
                interval?: components["schemas"]["StatsInterval"];
                /** @description part of the name or id; case is ignored */
                q?: string;
                status?: components["schemas"]["AgentStatus"];
                /** @description only agents with at least one */
                with?: components["schemas"]["StandingFinding"];
                /** @description names ascend, everything else descends; trend by its amount */
                sort?: components["schemas"]["StandingSort"];
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentStandingPage"];
                };
            };
        };
    };
    listOrgAgents: {
        parameters: {
            query?: {
                /** @description only this agent */
                agent_id?: string;
                /** @description part of the name or id */
                q?: string;
                visibility?: components["schemas"]["Visibility"];
                /** @description archived agents are listed only with status=archived */
                status?: components["schemas"]["AgentStatus"];
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentPage"];
                };
            };
        };
    };
    getContainment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Containment"];
                };
            };
        };
    };
    setContainmentPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContainmentPolicyChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContainmentPolicy"];
                };
            };
        };
    };
    killAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContainmentRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContainmentResult"];
                };
            };
        };
    };
    pauseAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContainmentRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContainmentResult"];
                };
            };
        };
    };
    reactivateAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContainmentRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContainmentResult"];
                };
            };
        };
    };
    resumeAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContainmentRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContainmentResult"];
                };
            };
        };
    };
    listOrgApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
        };
    };
    createOrgApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOrgApiKey"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
        };
    };
    revokeOrgApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedApiKey"];
                };
            };
        };
    };
    updateOrgApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    rotateOrgApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyRotation"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
        };
    };
    getApprovalChannels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalChannels"];
                };
            };
        };
    };
    setApprovalChannels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovalChannelsChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalChannels"];
                };
            };
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description exact action name */
                action?: string;
                /** @description a user id or an API key id */
                actor?: string;
                /** @description the id of the changed resource */
                target?: string;
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                from?: string;
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                to?: string;
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditLogEntryPage"];
                };
            };
        };
    };
    exportAuditLog: {
        parameters: {
            query?: {
                /** @description exact action name */
                action?: string;
                /** @description a user id or an API key id */
                actor?: string;
                /** @description the id of the changed resource */
                target?: string;
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                from?: string;
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                to?: string;
                format?: components["schemas"]["AuditExportFormat"];
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
        };
    };
    getCardTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CardTemplate"];
                };
            };
        };
    };
    replaceCardTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardTemplateChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedCardTemplate"];
                };
            };
        };
    };
    deleteCardTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedCardTemplate"];
                };
            };
        };
    };
    getFleetCoherence: {
        parameters: {
            query?: {
                /** @description 2 to 200 ids, separated by commas */
                agent_ids?: string;
                include?: "pairwise";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetCoherence"];
                };
            };
        };
    };
    listConscienceValues: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConscienceValueSet"];
                };
            };
        };
    };
    createConscienceValue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewConscienceValue"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConscienceValue"];
                };
            };
        };
    };
    listConscienceValueChanges: {
        parameters: {
            query?: {
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConscienceValueChangePage"];
                };
            };
        };
    };
    setConscienceMode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConscienceSettingsChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConscienceSettings"];
                };
            };
        };
    };
    reorderConscienceValues: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConscienceOrder"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReorderedConscienceValues"];
                };
            };
        };
    };
    deleteConscienceValue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                value_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedConscienceValue"];
                };
            };
        };
    };
    updateConscienceValue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                value_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConscienceValueChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConscienceValue"];
                };
            };
        };
    };
    listEvidencePacks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvidencePackList"];
                };
            };
        };
    };
    requestEvidencePack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EvidencePackRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvidencePackAccepted"];
                };
            };
        };
    };
    getEvidencePack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                pack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvidencePack"];
                };
            };
        };
    };
    downloadEvidencePack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                pack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                status?: components["schemas"]["InvitationStatus"];
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationPage"];
                };
            };
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewInvitation"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationWithToken"];
                };
            };
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedInvitation"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: {
                revoke_keys?: boolean;
            };
            header?: never;
            path: {
                org_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedMember"];
                };
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedRole"];
                };
            };
        };
    };
    getOrgModelUsage: {
        parameters: {
            query?: {
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                from?: string;
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                to?: string;
                interval?: components["schemas"]["ModelUsageInterval"];
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrgModelUsage"];
                };
            };
        };
    };
    getOrgPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrgPlan"];
                };
            };
        };
    };
    getOrgPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                    "application/yaml": string;
                };
            };
        };
    };
    replaceOrgPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        /** @description A policy document: meta {schema_version, name, description?, scope}, capability_mappings? {name: {tools, card_actions, description?}}, forbidden? [{pattern, reason, severity}], escalation_triggers? [{condition, action, reason, severity?, approval?}], limits? [{name, tools, max, per, action?, reason, approval?}], flows? [{name, from, to, action?, reason, approval?}], defaults? {enforcement_mode, unmapped_tool_action, unmapped_severity, grace_period_hours, fail_open, approval, max_identical_calls, changed_tool_action}; as JSON or YAML, by Content-Type. Nothing is blocked unless enforcement_mode is enforce, and unmapped tools are not blocked in their first 24 hours unless grace_period_hours is 0. The policy of a team applies only to transactions of its members. All fields, values and conditions: docs/concepts/policies.md. limits, flows, approval {required, roles, scopes, expires_minutes, local}, max_identical_calls and changed_tool_action need schema_version 1.1. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyDocument"];
                "text/yaml": components["schemas"]["PolicyDocument"];
                "application/yaml": components["schemas"]["PolicyDocument"];
                "application/x-yaml": components["schemas"]["PolicyDocument"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedPolicy"];
                };
            };
        };
    };
    deleteOrgPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listOrgPolicyVersions: {
        parameters: {
            query?: {
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyVersionPage"];
                };
            };
        };
    };
    getOrgPolicyVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                    "application/yaml": string;
                };
            };
        };
    };
    getOrgSetup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrgSetup"];
                };
            };
        };
    };
    getSso: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SsoState"];
                };
            };
        };
    };
    configureSso: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SsoSettings"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SsoConfiguration"];
                };
            };
        };
    };
    deleteSso: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedSso"];
                };
            };
        };
    };
    testSso: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SsoTest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SsoTestResult"];
                };
            };
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description how many of the last decisions to send first, oldest first */
                replay?: number;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    listTeams: {
        parameters: {
            query?: {
                status?: components["schemas"]["TeamStatus"];
                /** @description default 1 */
                page?: number;
                /** @description default 50; more than 200 is lowered to 200 */
                per_page?: number;
                /** @description instead of page and per_page; default 50; more than 200 is lowered to 200 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamPage"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                days?: number;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
                endpoint_id?: string;
                status?: components["schemas"]["DeliveryStatus"];
                event_type?: components["schemas"]["EventType"];
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryDetail"];
                };
            };
        };
    };
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRedelivery"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedWebhook"];
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookReplayRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookSecretRotation"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
        };
    };
    exportOtlpLogs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OtlpLogExport"];
                "application/x-protobuf": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpLogExportResult"];
                    "application/x-protobuf": string;
                };
            };
        };
    };
    exportOtlpTraces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OtlpTraceExport"];
                "application/x-protobuf": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpTraceExportResult"];
                    "application/x-protobuf": string;
                };
            };
        };
    };
    listPlans: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanList"];
                };
            };
        };
    };
    evaluatePolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyEvaluationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyEvaluation"];
                };
            };
        };
    };
    evaluatePolicyHistory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HistoricalEvaluationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoricalEvaluation"];
                };
            };
        };
    };
    assessPolicyImpact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyImpactRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyImpact"];
                };
            };
        };
    };
    learnPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyLearnRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LearnedPolicy"];
                };
            };
        };
    };
    validatePolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A policy document: meta {schema_version, name, description?, scope}, capability_mappings? {name: {tools, card_actions, description?}}, forbidden? [{pattern, reason, severity}], escalation_triggers? [{condition, action, reason, severity?, approval?}], limits? [{name, tools, max, per, action?, reason, approval?}], flows? [{name, from, to, action?, reason, approval?}], defaults? {enforcement_mode, unmapped_tool_action, unmapped_severity, grace_period_hours, fail_open, approval, max_identical_calls, changed_tool_action}; as JSON or YAML, by Content-Type. Nothing is blocked unless enforcement_mode is enforce, and unmapped tools are not blocked in their first 24 hours unless grace_period_hours is 0. The policy of a team applies only to transactions of its members. All fields, values and conditions: docs/concepts/policies.md. limits, flows, approval {required, roles, scopes, expires_minutes, local}, max_identical_calls and changed_tool_action need schema_version 1.1. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyDocument"];
                "text/yaml": components["schemas"]["PolicyDocument"];
                "application/yaml": components["schemas"]["PolicyDocument"];
                "application/x-yaml": components["schemas"]["PolicyDocument"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyValidation"];
                };
            };
        };
    };
    listProofPrograms: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProofPrograms"];
                };
            };
        };
    };
    listReputations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReputationBatchRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReputationBatch"];
                };
            };
        };
    };
    getBenchmarks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Benchmarks"];
                };
            };
        };
    };
    compareReputations: {
        parameters: {
            query: {
                /** @description 2 to 10 ids, separated by commas */
                agent_ids: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReputationComparison"];
                };
            };
        };
    };
    searchReputations: {
        parameters: {
            query?: {
                /** @description part of the name or id, at most 200 characters; case is ignored */
                q?: string;
                grade?: components["schemas"]["RatedGrade"];
                confidence?: components["schemas"]["RatedConfidence"];
                /** @description at least this assurance level, 0 to 4 */
                assurance?: "0" | "1" | "2" | "3" | "4";
                /** @description default score; names ascend, numbers descend; ties by score, then id */
                sort?: components["schemas"]["DirectorySort"];
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DirectoryEntryPage"];
                };
            };
        };
    };
    getReputation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReputationScore"];
                };
            };
        };
    };
    getBadge: {
        parameters: {
            query?: {
                variant?: components["schemas"]["BadgeVariant"];
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
        };
    };
    getReputationBundle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    getReputationHistory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReputationHistory"];
                };
            };
        };
    };
    recomputeReputation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecomputedReputation"];
                };
            };
        };
    };
    simulateReputation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        /** @description A hypothesis: checkpoints and traces are added now, some checkpoints are reclassified as card gaps, and then days pass. Each added violation counts as a separate session. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SimulationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Simulation"];
                };
            };
        };
    };
    verifyReputation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReputationVerification"];
                };
            };
        };
    };
    auditReputation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FullAuditRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullAudit"];
                };
            };
        };
    };
    assessRisk: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RiskAssessmentRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RiskAssessment"];
                };
            };
        };
    };
    assessTeamRisk: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamRiskAssessmentRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamRiskAssessment"];
                };
            };
        };
    };
    listAllRiskAssessments: {
        parameters: {
            query?: {
                subject?: components["schemas"]["RiskSubject"];
                /** @description default 50; more than 200 is lowered to 200 */
                limit?: number;
                /** @description how many newer assessments to skip; default 0 */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RiskAssessmentList"];
                };
            };
        };
    };
    getRiskAssessment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RiskAssessment"];
                };
            };
        };
    };
    getRiskInputs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RiskInputs"];
                };
            };
        };
    };
    requestProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proof"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proof"];
                };
            };
        };
    };
    listRiskAssessments: {
        parameters: {
            query?: {
                /** @description default 50; more than 200 is lowered to 200 */
                limit?: number;
                /** @description how many newer assessments to skip; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RiskHistory"];
                };
            };
        };
    };
    getProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                proof_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proof"];
                };
            };
        };
    };
    getProofData: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                proof_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    retryProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                proof_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proof"];
                };
            };
        };
    };
    getTeamRiskAssessment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamRiskAssessment"];
                };
            };
        };
    };
    listTeamRiskAssessments: {
        parameters: {
            query?: {
                /** @description default 50; more than 200 is lowered to 200 */
                limit?: number;
                /** @description how many newer assessments to skip; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamRiskHistory"];
                };
            };
        };
    };
    createTeam: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTeam"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamWithMembers"];
                };
            };
        };
    };
    analyseFaultLines: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamSelection"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FaultLineAnalysis"];
                };
            };
        };
    };
    forecastTeam: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForecastRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamForecast"];
                };
            };
        };
    };
    recommendTeamPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamSelection"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyRecommendation"];
                };
            };
        };
    };
    getTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamWithMembers"];
                };
            };
        };
    };
    archiveTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchivedTeam"];
                };
            };
        };
    };
    updateTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
        };
    };
    getTeamBadge: {
        parameters: {
            query?: {
                variant?: components["schemas"]["TeamBadgeVariant"];
            };
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
        };
    };
    getTeamCard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamCard"] | null;
                };
            };
        };
    };
    replaceTeamCard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamCardChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedTeamCard"];
                };
            };
        };
    };
    deriveTeamCard: {
        parameters: {
            query?: {
                /** @description true: store nothing */
                preview?: boolean;
            };
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DerivedTeamCard"];
                };
            };
        };
    };
    listTeamCardVersions: {
        parameters: {
            query?: {
                /** @description default 1 */
                page?: number;
                /** @description default 50; more than 200 is lowered to 200 */
                per_page?: number;
                /** @description instead of page and per_page; default 50; more than 200 is lowered to 200 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
                include?: "card_json";
            };
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamCardVersionPage"];
                };
            };
        };
    };
    listIntelligence: {
        parameters: {
            query?: {
                type?: components["schemas"]["IntelligenceType"];
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntelligenceSummaryPage"];
                };
            };
        };
    };
    getIntelligence: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
                item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntelligenceItem"];
                };
            };
        };
    };
    addTeamMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTeamMembers"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddedTeamMembers"];
                };
            };
        };
    };
    removeTeamMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedTeamMember"];
                };
            };
        };
    };
    getTeamPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                    "application/yaml": string;
                };
            };
        };
    };
    replaceTeamPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        /** @description A policy document: meta {schema_version, name, description?, scope}, capability_mappings? {name: {tools, card_actions, description?}}, forbidden? [{pattern, reason, severity}], escalation_triggers? [{condition, action, reason, severity?, approval?}], limits? [{name, tools, max, per, action?, reason, approval?}], flows? [{name, from, to, action?, reason, approval?}], defaults? {enforcement_mode, unmapped_tool_action, unmapped_severity, grace_period_hours, fail_open, approval, max_identical_calls, changed_tool_action}; as JSON or YAML, by Content-Type. Nothing is blocked unless enforcement_mode is enforce, and unmapped tools are not blocked in their first 24 hours unless grace_period_hours is 0. The policy of a team applies only to transactions of its members. All fields, values and conditions: docs/concepts/policies.md. limits, flows, approval {required, roles, scopes, expires_minutes, local}, max_identical_calls and changed_tool_action need schema_version 1.1. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyDocument"];
                "text/yaml": components["schemas"]["PolicyDocument"];
                "application/yaml": components["schemas"]["PolicyDocument"];
                "application/x-yaml": components["schemas"]["PolicyDocument"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedPolicy"];
                };
            };
        };
    };
    deleteTeamPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listTeamPolicyVersions: {
        parameters: {
            query?: {
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyVersionPage"];
                };
            };
        };
    };
    getTeamPolicyVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                    "application/yaml": string;
                };
            };
        };
    };
    getTeamReputation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamReputation"];
                };
            };
        };
    };
    getTeamReputationHistory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamReputationHistory"];
                };
            };
        };
    };
    recomputeTeamReputation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamReputation"];
                };
            };
        };
    };
    verifyTeamReputation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamReputationVerification"];
                };
            };
        };
    };
    listRosterChanges: {
        parameters: {
            query?: {
                /** @description default 1 */
                page?: number;
                /** @description default 50; more than 200 is lowered to 200 */
                per_page?: number;
                /** @description instead of page and per_page; default 50; more than 200 is lowered to 200 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RosterChangePage"];
                };
            };
        };
    };
    listTraces: {
        parameters: {
            query?: {
                agent_id?: string;
                session_id?: string;
                verified?: boolean;
                violation?: components["schemas"]["TraceViolationType"];
                action_type?: components["schemas"]["TraceActionType"];
                action_name?: string;
                /** @description how the service came to know the record */
                provenance?: components["schemas"]["Provenance"];
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                from?: string;
                /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                to?: string;
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TracePage"];
                };
            };
        };
    };
    createTrace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description An AP-trace, at most 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTrace"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
        };
    };
    createTraceBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTraceBatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TraceBatchResult"];
                };
            };
        };
    };
    verifyTrace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TraceToVerify"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TraceVerificationResult"];
                };
            };
        };
    };
    getTrace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                agent_id?: string;
                status?: components["schemas"]["TransactionStatus"];
                /** @description default 1 */
                page?: number;
                /** @description default 20; more than 100 is lowered to 100 */
                per_page?: number;
                /** @description instead of page and per_page; default 20; more than 100 is lowered to 100 */
                limit?: number;
                /** @description how many entries to skip, instead of page and per_page; default 0 */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionPage"];
                };
            };
        };
    };
    createTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTransaction"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    getTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    deleteTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    completeTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    verifyCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CertificateToVerify"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CertificateVerification"];
                };
            };
        };
    };
    verifyProof: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProofToVerify"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProofVerification"];
                };
            };
        };
    };
}
