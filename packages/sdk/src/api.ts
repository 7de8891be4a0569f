// Written by tools/write-sdk-types.ts from docs/api/openapi.json.

export interface paths {
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The process runs
         * @description No credential needed.
         */
        get: {
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
                        "application/json": {
                            /** @enum {string} */
                            status: "ok";
                        };
                    };
                };
            };
        };
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
         * Start-up is complete
         * @description No credential needed.
         */
        get: {
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
                        "application/json": {
                            /** @enum {string} */
                            status: "ok";
                        };
                    };
                };
            };
        };
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
         * Requests are welcome
         * @description No credential needed.
         */
        get: {
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
                        "application/json": {
                            /** @enum {unknown} */
                            status: "ready" | "unavailable";
                            checks: {
                                database: {
                                    /** @enum {unknown} */
                                    status: "ok" | "degraded" | "down";
                                };
                                queue: {
                                    /** @enum {unknown} */
                                    status: "ok" | "degraded" | "down";
                                };
                                chain: {
                                    /** @enum {unknown} */
                                    status: "ok" | "degraded" | "down";
                                };
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Keys that sign certificates, retired ones included
         * @description No credential needed. At most 100 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            keys: {
                                /** @enum {string} */
                                kty: "OKP";
                                /** @enum {string} */
                                crv: "Ed25519";
                                x: string;
                                kid: string;
                                /** @enum {string} */
                                use: "sig";
                                /** @enum {string} */
                                alg: "EdDSA";
                                key_id: string;
                                /** @enum {string} */
                                algorithm: "Ed25519";
                                /** @description the raw 32 bytes in hex */
                                public_key: string;
                                /** @description the same for Standard Webhooks v1a signatures */
                                whpk: string;
                                created_at: string;
                                is_active: boolean;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Verify a certificate by itself and the published keys
         * @description No credential needed. At most 60 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description An integrity certificate, as GET /v1/checkpoints/{id}/certificate gives it. */
                        certificate: unknown;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description true when every check that is not null passes */
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
                                verdict_derivation: null;
                            };
                            /** @description per check: ok or the reason why not, joined by "; " */
                            details: string;
                        };
                    };
                };
            };
        };
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
         * The integrity certificate of a checkpoint
         * @description No credential needed. At most 100 a minute per caller.
         */
        get: {
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
                        "application/json": {
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
                                    inclusion_proof: {
                                        hash: string;
                                        /** @description left or right: on which side the sibling stands */
                                        position: string;
                                    }[];
                                } | null;
                                verdict_derivation: null;
                            };
                            verification: {
                                keys_url: string;
                                certificate_url: string;
                                verify_url: string;
                            };
                        };
                    };
                };
            };
        };
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
         * Proof that a checkpoint is in its agent's tree
         * @description No credential needed. At most 100 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    /** @description above leaf_index, up to the current size, which is the default */
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
                        "application/json": {
                            checkpoint_id: string;
                            leaf_hash: string;
                            leaf_index: number;
                            /** @description siblings from the leaf to the root */
                            siblings: {
                                hash: string;
                                /** @description left or right: on which side the sibling stands */
                                position: string;
                            }[];
                            root: string;
                            tree_size: number;
                            /** @description the service checked the proof against the root */
                            verified: boolean;
                        };
                    };
                };
            };
        };
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
         * The signed head of an agent's tree
         * @description No credential needed. At most 100 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            agent_id: string;
                            merkle_root: string;
                            /** @description the same with 0x */
                            onchain_root: string;
                            tree_depth: number;
                            leaf_count: number;
                            last_updated: string;
                            key_id: string;
                            /** @description Ed25519, base64, over canonical JSON of agent_id, leaf_count and merkle_root */
                            signature: string;
                        };
                    };
                };
            };
        };
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
         * Proof that an agent's tree only grew
         * @description No credential needed. At most 100 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            first: number;
                            second: number;
                            first_root: string;
                            second_root: string;
                            /** @description hashes in hex, by RFC 6962 §2.1.2 */
                            proof: string[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Agents of your organisation, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 120 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    /** @description part of the name or id */
                    q?: string;
                    visibility?: "public" | "unlisted" | "private";
                    /** @description archived agents are listed only when asked for */
                    status?: "active" | "paused" | "killed" | "archived";
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            agents: {
                                agent_id: string;
                                name: string;
                                description: string | null;
                                /** @enum {unknown} */
                                visibility: "public" | "unlisted" | "private";
                                /** @enum {unknown} */
                                status: "active" | "paused" | "killed" | "archived";
                                claimed: boolean;
                                card_id: string;
                                card_version: number;
                                created_at: string;
                                updated_at: string;
                                org_id: string;
                                owner_user_id: string | null;
                                owner_email: string | null;
                                claimed_at: string | null;
                                /** @enum {unknown} */
                                enforcement_mode: "observe" | "nudge" | "enforce";
                                provider: string | null;
                                model: string | null;
                                metadata: {
                                    [key: string]: unknown;
                                };
                                last_seen_at: string | null;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Register an agent
         * @description Roles owner, admin, member; API key scope ingest. At most 60 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        agent_id?: string;
                        name?: string;
                        description?: string | null;
                        /** @enum {unknown} */
                        visibility?: "public" | "unlisted" | "private";
                        provider?: string | null;
                        model?: string | null;
                        /** @description at most 16 KB */
                        metadata?: {
                            [key: string]: unknown;
                        };
                        /** @description an alignment card; a default one without */
                        card?: unknown;
                        /** @description SHA-256 of a secret you keep; no agent_secret is made then */
                        agent_hash?: string;
                        org_id?: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent: {
                                agent_id: string;
                                name: string;
                                description: string | null;
                                /** @enum {unknown} */
                                visibility: "public" | "unlisted" | "private";
                                /** @enum {unknown} */
                                status: "active" | "paused" | "killed" | "archived";
                                claimed: boolean;
                                card_id: string;
                                card_version: number;
                                created_at: string;
                                updated_at: string;
                                org_id: string;
                                owner_user_id: string | null;
                                owner_email: string | null;
                                claimed_at: string | null;
                                /** @enum {unknown} */
                                enforcement_mode: "observe" | "nudge" | "enforce";
                                provider: string | null;
                                model: string | null;
                                metadata: {
                                    [key: string]: unknown;
                                };
                                last_seen_at: string | null;
                            };
                            agent_secret?: string | null;
                            warnings: unknown[];
                        };
                    };
                };
            };
        };
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
         * Agents of an organisation, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 120 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    /** @description part of the name or id */
                    q?: string;
                    visibility?: "public" | "unlisted" | "private";
                    /** @description archived agents are listed only when asked for */
                    status?: "active" | "paused" | "killed" | "archived";
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            agents: {
                                agent_id: string;
                                name: string;
                                description: string | null;
                                /** @enum {unknown} */
                                visibility: "public" | "unlisted" | "private";
                                /** @enum {unknown} */
                                status: "active" | "paused" | "killed" | "archived";
                                claimed: boolean;
                                card_id: string;
                                card_version: number;
                                created_at: string;
                                updated_at: string;
                                org_id: string;
                                owner_user_id: string | null;
                                owner_email: string | null;
                                claimed_at: string | null;
                                /** @enum {unknown} */
                                enforcement_mode: "observe" | "nudge" | "enforce";
                                provider: string | null;
                                model: string | null;
                                metadata: {
                                    [key: string]: unknown;
                                };
                                last_seen_at: string | null;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * One agent
         * @description No credential needed. At most 120 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            agent_id?: string;
                            name?: string;
                            description?: string | null;
                            /** @enum {unknown} */
                            visibility?: "public" | "unlisted" | "private";
                            /** @enum {unknown} */
                            status?: "active" | "paused" | "killed" | "archived";
                            claimed?: boolean;
                            card_id?: string;
                            card_version?: number;
                            created_at?: string;
                            updated_at?: string;
                            org_id?: string;
                            owner_user_id?: string | null;
                            owner_email?: string | null;
                            claimed_at?: string | null;
                            /** @enum {unknown} */
                            enforcement_mode?: "observe" | "nudge" | "enforce";
                            provider?: string | null;
                            model?: string | null;
                            metadata?: {
                                [key: string]: unknown;
                            };
                            last_seen_at?: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Archive an agent
         * @description Roles owner; not with an API key. At most 60 a minute per caller.
         */
        delete: {
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
        options?: never;
        head?: never;
        /**
         * Change an agent
         * @description Roles owner, admin; API key scope write. At most 60 a minute per caller.
         */
        patch: {
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
                    "application/json": {
                        name?: string;
                        description?: string | null;
                        /** @enum {unknown} */
                        visibility?: "public" | "unlisted" | "private";
                        provider?: string | null;
                        model?: string | null;
                        /** @description at most 16 KB */
                        metadata?: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent_id: string;
                            name: string;
                            description: string | null;
                            /** @enum {unknown} */
                            visibility: "public" | "unlisted" | "private";
                            /** @enum {unknown} */
                            status: "active" | "paused" | "killed" | "archived";
                            claimed: boolean;
                            card_id: string;
                            card_version: number;
                            created_at: string;
                            updated_at: string;
                            org_id: string;
                            owner_user_id: string | null;
                            owner_email: string | null;
                            claimed_at: string | null;
                            /** @enum {unknown} */
                            enforcement_mode: "observe" | "nudge" | "enforce";
                            provider: string | null;
                            model: string | null;
                            metadata: {
                                [key: string]: unknown;
                            };
                            last_seen_at: string | null;
                        };
                    };
                };
            };
        };
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
         * @description Roles owner; not with an API key. At most 60 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        confirm: string;
                    };
                };
            };
            responses: {
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent_id: string;
                            purge_after: string;
                        };
                    };
                };
            };
        };
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
         * Take charge of an agent by proving that you hold its secret
         * @description Any signed-in person. At most 10 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        hash_proof: string;
                        email?: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {boolean} */
                            claimed: true;
                            agent_id: string;
                            claimed_at: string | null;
                        };
                    };
                };
            };
        };
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
         * How violations are answered
         * @description Roles owner, admin, auditor, member; API key scope read. At most 120 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            agent_id: string;
                            /** @enum {unknown} */
                            enforcement_mode: "observe" | "nudge" | "enforce";
                            /** @enum {unknown} */
                            nudge_strategy: "always" | "sampling" | "threshold" | "off";
                            nudge_rate: number;
                            nudge_threshold: number;
                        };
                    };
                };
            };
        };
        /**
         * Set how violations are answered
         * @description Roles owner, admin; API key scope write. At most 60 a minute per caller.
         */
        put: {
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
                    "application/json": {
                        /** @enum {unknown} */
                        mode: "observe" | "nudge" | "enforce";
                        /**
                         * @description which checkpoints that are not clear the agent is told of at the gateway
                         * @default always
                         * @enum {unknown}
                         */
                        nudge_strategy?: "always" | "sampling" | "threshold" | "off";
                        /**
                         * @description for sampling: per cent of them
                         * @default 100
                         */
                        nudge_rate?: number;
                        /**
                         * @description for threshold: from which one of a session on
                         * @default 3
                         */
                        nudge_threshold?: number;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent_id: string;
                            /** @enum {unknown} */
                            enforcement_mode: "observe" | "nudge" | "enforce";
                            /** @enum {unknown} */
                            nudge_strategy: "always" | "sampling" | "threshold" | "off";
                            nudge_rate: number;
                            nudge_threshold: number;
                            /** @enum {boolean} */
                            updated: true;
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * The alignment card of an agent; YAML when Accept asks for it
         * @description No credential needed. At most 120 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    version?: number;
                    /** @description for the owning organisation: the composed card */
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
                        "application/json": {
                            card_id: string;
                            agent_id: string;
                            version: number;
                            is_active: boolean;
                            /** @description An alignment card, aap_version 0.5.0 or 0.1.0. */
                            card_json: {
                                [key: string]: unknown;
                            };
                            conscience_values?: unknown[];
                            issued_at: string;
                            created_at: string;
                            created_by?: string;
                        };
                        "application/yaml": string;
                    };
                };
            };
        };
        /**
         * Replace the card; If-Match guards against a change in between
         * @description Roles owner, admin; API key scope write. At most 60 a minute per caller.
         */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            /** @description The card itself, or {card_json, conscience_values?, reason?}; JSON, or YAML by content type. */
            requestBody: {
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "text/yaml": {
                        [key: string]: unknown;
                    };
                    "application/yaml": {
                        [key: string]: unknown;
                    };
                    "application/x-yaml": {
                        [key: string]: unknown;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            updated: boolean;
                            card_id: string;
                            version: number;
                            amendment_ids: string[];
                            warnings: {
                                path: string;
                                code: string;
                                message: string;
                            }[];
                            /** @description An alignment card, aap_version 0.5.0 or 0.1.0. */
                            card: {
                                [key: string]: unknown;
                            };
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change parts of the card (RFC 7396)
         * @description Roles owner, admin; API key scope write. At most 60 a minute per caller.
         */
        patch: {
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
                    "application/json": {
                        /** @description An alignment card, aap_version 0.5.0 or 0.1.0. */
                        card_json?: {
                            [key: string]: unknown;
                        };
                        conscience_values?: unknown[];
                        reason?: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            updated: boolean;
                            card_id: string;
                            version: number;
                            amendment_ids: string[];
                            warnings: {
                                path: string;
                                code: string;
                                message: string;
                            }[];
                            /** @description An alignment card, aap_version 0.5.0 or 0.1.0. */
                            card: {
                                [key: string]: unknown;
                            };
                        };
                    };
                };
            };
        };
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
         * Versions of the card, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 120 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            versions: {
                                version: number;
                                card_id: string;
                                is_active: boolean;
                                issued_at: string;
                                created_at: string;
                                created_by: string;
                                reason: string;
                                changed_fields: string[];
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
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
         * Say what is wrong with a card, without storing it
         * @description Roles owner, admin, auditor, member; API key scope read. At most 120 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            /** @description The card itself, or {card_json, conscience_values?, reason?}; JSON, or YAML by content type. */
            requestBody: {
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "text/yaml": {
                        [key: string]: unknown;
                    };
                    "application/yaml": {
                        [key: string]: unknown;
                    };
                    "application/x-yaml": {
                        [key: string]: unknown;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            valid: boolean;
                            errors: {
                                path: string;
                                code: string;
                                message: string;
                            }[];
                            warnings: {
                                path: string;
                                code: string;
                                message: string;
                            }[];
                        };
                    };
                };
            };
        };
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
         * Traces of your organisation, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 120 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    agent_id?: string;
                    session_id?: string;
                    verified?: boolean;
                    violation?: "CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE";
                    action_type?: "recommend" | "execute" | "escalate" | "deny";
                    action_name?: string;
                    /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                    from?: string;
                    /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                    to?: string;
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            traces: {
                                trace_id: string;
                                agent_id: string;
                                card_id: string;
                                timestamp: string;
                                action: {
                                    /** @enum {unknown} */
                                    type: "recommend" | "execute" | "escalate" | "deny";
                                    name: string;
                                    /** @enum {unknown} */
                                    category: "bounded" | "escalation_trigger" | "forbidden";
                                    target?: {
                                        type?: string;
                                        identifier?: string;
                                    };
                                    parameters?: {
                                        [key: string]: unknown;
                                    };
                                };
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
                                escalation: {
                                    evaluated: boolean;
                                    required: boolean;
                                    reason: string;
                                    triggers_checked?: {
                                        trigger: string;
                                        matched: boolean;
                                        value_observed?: unknown;
                                    }[];
                                    escalation_id?: string;
                                    /** @enum {unknown} */
                                    escalation_status?: "pending" | "approved" | "denied" | "timeout";
                                    principal_response?: {
                                        decision?: string;
                                        /**
                                         * Format: date-time
                                         * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                                         */
                                        timestamp?: string;
                                        conditions?: unknown;
                                    };
                                } | null;
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
                                verification: {
                                    verified: boolean;
                                    violations: ("CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE")[];
                                    violation_details: {
                                        /** @enum {unknown} */
                                        type: "CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE";
                                        /** @enum {unknown} */
                                        severity: "critical" | "high" | "medium";
                                        description: string;
                                        trace_field: string;
                                    }[];
                                    warnings: {
                                        type: string;
                                        description: string;
                                        trace_field: string;
                                    }[];
                                    similarity_score: number;
                                    /** @enum {unknown} */
                                    recommended_action: "proceed" | "review" | "deny";
                                    verified_at: string;
                                    algorithm_version: string;
                                    card_id: string;
                                };
                                policy: {
                                    /** @enum {unknown} */
                                    verdict: "pass" | "warn" | "fail";
                                    violations: number;
                                    warnings: number;
                                    policy_id: string | null;
                                    policy_version: number | null;
                                    tools: string[];
                                } | null;
                                created_at: string;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Store and verify a trace
         * @description Roles owner, admin, member; API key scope ingest. At most 600 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description An AP-trace, at most 64 KB. */
            requestBody: {
                content: {
                    "application/json": {
                        agent_id: string;
                        trace_id?: string;
                        card_id?: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                         */
                        timestamp?: string;
                        action: {
                            /** @enum {unknown} */
                            type: "recommend" | "execute" | "escalate" | "deny";
                            name: string;
                            /** @enum {unknown} */
                            category: "bounded" | "escalation_trigger" | "forbidden";
                            target?: {
                                type?: string;
                                identifier?: string;
                            };
                            parameters?: {
                                [key: string]: unknown;
                            };
                        };
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
                        escalation?: {
                            evaluated: boolean;
                            required: boolean;
                            reason: string;
                            triggers_checked?: {
                                trigger: string;
                                matched: boolean;
                                value_observed?: unknown;
                            }[];
                            escalation_id?: string;
                            /** @enum {unknown} */
                            escalation_status?: "pending" | "approved" | "denied" | "timeout";
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
                        /** @description further members are kept; conditions of the card may ask for them */
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
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            trace_id: string;
                            agent_id: string;
                            card_id: string;
                            timestamp: string;
                            action: {
                                /** @enum {unknown} */
                                type: "recommend" | "execute" | "escalate" | "deny";
                                name: string;
                                /** @enum {unknown} */
                                category: "bounded" | "escalation_trigger" | "forbidden";
                                target?: {
                                    type?: string;
                                    identifier?: string;
                                };
                                parameters?: {
                                    [key: string]: unknown;
                                };
                            };
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
                            escalation: {
                                evaluated: boolean;
                                required: boolean;
                                reason: string;
                                triggers_checked?: {
                                    trigger: string;
                                    matched: boolean;
                                    value_observed?: unknown;
                                }[];
                                escalation_id?: string;
                                /** @enum {unknown} */
                                escalation_status?: "pending" | "approved" | "denied" | "timeout";
                                principal_response?: {
                                    decision?: string;
                                    /**
                                     * Format: date-time
                                     * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                                     */
                                    timestamp?: string;
                                    conditions?: unknown;
                                };
                            } | null;
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
                            verification: {
                                verified: boolean;
                                violations: ("CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE")[];
                                violation_details: {
                                    /** @enum {unknown} */
                                    type: "CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE";
                                    /** @enum {unknown} */
                                    severity: "critical" | "high" | "medium";
                                    description: string;
                                    trace_field: string;
                                }[];
                                warnings: {
                                    type: string;
                                    description: string;
                                    trace_field: string;
                                }[];
                                similarity_score: number;
                                /** @enum {unknown} */
                                recommended_action: "proceed" | "review" | "deny";
                                verified_at: string;
                                algorithm_version: string;
                                card_id: string;
                            };
                            policy: {
                                /** @enum {unknown} */
                                verdict: "pass" | "warn" | "fail";
                                violations: number;
                                warnings: number;
                                policy_id: string | null;
                                policy_version: number | null;
                                tools: string[];
                            } | null;
                            created_at: string;
                        };
                    };
                };
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            trace_id: string;
                            agent_id: string;
                            card_id: string;
                            timestamp: string;
                            action: {
                                /** @enum {unknown} */
                                type: "recommend" | "execute" | "escalate" | "deny";
                                name: string;
                                /** @enum {unknown} */
                                category: "bounded" | "escalation_trigger" | "forbidden";
                                target?: {
                                    type?: string;
                                    identifier?: string;
                                };
                                parameters?: {
                                    [key: string]: unknown;
                                };
                            };
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
                            escalation: {
                                evaluated: boolean;
                                required: boolean;
                                reason: string;
                                triggers_checked?: {
                                    trigger: string;
                                    matched: boolean;
                                    value_observed?: unknown;
                                }[];
                                escalation_id?: string;
                                /** @enum {unknown} */
                                escalation_status?: "pending" | "approved" | "denied" | "timeout";
                                principal_response?: {
                                    decision?: string;
                                    /**
                                     * Format: date-time
                                     * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                                     */
                                    timestamp?: string;
                                    conditions?: unknown;
                                };
                            } | null;
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
                            verification: {
                                verified: boolean;
                                violations: ("CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE")[];
                                violation_details: {
                                    /** @enum {unknown} */
                                    type: "CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE";
                                    /** @enum {unknown} */
                                    severity: "critical" | "high" | "medium";
                                    description: string;
                                    trace_field: string;
                                }[];
                                warnings: {
                                    type: string;
                                    description: string;
                                    trace_field: string;
                                }[];
                                similarity_score: number;
                                /** @enum {unknown} */
                                recommended_action: "proceed" | "review" | "deny";
                                verified_at: string;
                                algorithm_version: string;
                                card_id: string;
                            };
                            policy: {
                                /** @enum {unknown} */
                                verdict: "pass" | "warn" | "fail";
                                violations: number;
                                warnings: number;
                                policy_id: string | null;
                                policy_version: number | null;
                                tools: string[];
                            } | null;
                            created_at: string;
                        };
                    };
                };
            };
        };
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
         * Traces of an agent, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 120 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    session_id?: string;
                    verified?: boolean;
                    violation?: "CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE";
                    action_type?: "recommend" | "execute" | "escalate" | "deny";
                    action_name?: string;
                    /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                    from?: string;
                    /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                    to?: string;
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            traces: {
                                trace_id: string;
                                agent_id: string;
                                card_id: string;
                                timestamp: string;
                                action: {
                                    /** @enum {unknown} */
                                    type: "recommend" | "execute" | "escalate" | "deny";
                                    name: string;
                                    /** @enum {unknown} */
                                    category: "bounded" | "escalation_trigger" | "forbidden";
                                    target?: {
                                        type?: string;
                                        identifier?: string;
                                    };
                                    parameters?: {
                                        [key: string]: unknown;
                                    };
                                };
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
                                escalation: {
                                    evaluated: boolean;
                                    required: boolean;
                                    reason: string;
                                    triggers_checked?: {
                                        trigger: string;
                                        matched: boolean;
                                        value_observed?: unknown;
                                    }[];
                                    escalation_id?: string;
                                    /** @enum {unknown} */
                                    escalation_status?: "pending" | "approved" | "denied" | "timeout";
                                    principal_response?: {
                                        decision?: string;
                                        /**
                                         * Format: date-time
                                         * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                                         */
                                        timestamp?: string;
                                        conditions?: unknown;
                                    };
                                } | null;
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
                                verification: {
                                    verified: boolean;
                                    violations: ("CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE")[];
                                    violation_details: {
                                        /** @enum {unknown} */
                                        type: "CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE";
                                        /** @enum {unknown} */
                                        severity: "critical" | "high" | "medium";
                                        description: string;
                                        trace_field: string;
                                    }[];
                                    warnings: {
                                        type: string;
                                        description: string;
                                        trace_field: string;
                                    }[];
                                    similarity_score: number;
                                    /** @enum {unknown} */
                                    recommended_action: "proceed" | "review" | "deny";
                                    verified_at: string;
                                    algorithm_version: string;
                                    card_id: string;
                                };
                                policy: {
                                    /** @enum {unknown} */
                                    verdict: "pass" | "warn" | "fail";
                                    violations: number;
                                    warnings: number;
                                    policy_id: string | null;
                                    policy_version: number | null;
                                    tools: string[];
                                } | null;
                                created_at: string;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Store and verify a trace of this agent
         * @description Roles owner, admin, member; API key scope ingest. At most 600 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            /** @description An AP-trace, at most 64 KB; agent_id, if given, is the one in the path. */
            requestBody: {
                content: {
                    "application/json": {
                        agent_id?: string;
                        trace_id?: string;
                        card_id?: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                         */
                        timestamp?: string;
                        action: {
                            /** @enum {unknown} */
                            type: "recommend" | "execute" | "escalate" | "deny";
                            name: string;
                            /** @enum {unknown} */
                            category: "bounded" | "escalation_trigger" | "forbidden";
                            target?: {
                                type?: string;
                                identifier?: string;
                            };
                            parameters?: {
                                [key: string]: unknown;
                            };
                        };
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
                        escalation?: {
                            evaluated: boolean;
                            required: boolean;
                            reason: string;
                            triggers_checked?: {
                                trigger: string;
                                matched: boolean;
                                value_observed?: unknown;
                            }[];
                            escalation_id?: string;
                            /** @enum {unknown} */
                            escalation_status?: "pending" | "approved" | "denied" | "timeout";
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
                        /** @description further members are kept; conditions of the card may ask for them */
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
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            trace_id: string;
                            agent_id: string;
                            card_id: string;
                            timestamp: string;
                            action: {
                                /** @enum {unknown} */
                                type: "recommend" | "execute" | "escalate" | "deny";
                                name: string;
                                /** @enum {unknown} */
                                category: "bounded" | "escalation_trigger" | "forbidden";
                                target?: {
                                    type?: string;
                                    identifier?: string;
                                };
                                parameters?: {
                                    [key: string]: unknown;
                                };
                            };
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
                            escalation: {
                                evaluated: boolean;
                                required: boolean;
                                reason: string;
                                triggers_checked?: {
                                    trigger: string;
                                    matched: boolean;
                                    value_observed?: unknown;
                                }[];
                                escalation_id?: string;
                                /** @enum {unknown} */
                                escalation_status?: "pending" | "approved" | "denied" | "timeout";
                                principal_response?: {
                                    decision?: string;
                                    /**
                                     * Format: date-time
                                     * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                                     */
                                    timestamp?: string;
                                    conditions?: unknown;
                                };
                            } | null;
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
                            verification: {
                                verified: boolean;
                                violations: ("CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE")[];
                                violation_details: {
                                    /** @enum {unknown} */
                                    type: "CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE";
                                    /** @enum {unknown} */
                                    severity: "critical" | "high" | "medium";
                                    description: string;
                                    trace_field: string;
                                }[];
                                warnings: {
                                    type: string;
                                    description: string;
                                    trace_field: string;
                                }[];
                                similarity_score: number;
                                /** @enum {unknown} */
                                recommended_action: "proceed" | "review" | "deny";
                                verified_at: string;
                                algorithm_version: string;
                                card_id: string;
                            };
                            policy: {
                                /** @enum {unknown} */
                                verdict: "pass" | "warn" | "fail";
                                violations: number;
                                warnings: number;
                                policy_id: string | null;
                                policy_version: number | null;
                                tools: string[];
                            } | null;
                            created_at: string;
                        };
                    };
                };
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            trace_id: string;
                            agent_id: string;
                            card_id: string;
                            timestamp: string;
                            action: {
                                /** @enum {unknown} */
                                type: "recommend" | "execute" | "escalate" | "deny";
                                name: string;
                                /** @enum {unknown} */
                                category: "bounded" | "escalation_trigger" | "forbidden";
                                target?: {
                                    type?: string;
                                    identifier?: string;
                                };
                                parameters?: {
                                    [key: string]: unknown;
                                };
                            };
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
                            escalation: {
                                evaluated: boolean;
                                required: boolean;
                                reason: string;
                                triggers_checked?: {
                                    trigger: string;
                                    matched: boolean;
                                    value_observed?: unknown;
                                }[];
                                escalation_id?: string;
                                /** @enum {unknown} */
                                escalation_status?: "pending" | "approved" | "denied" | "timeout";
                                principal_response?: {
                                    decision?: string;
                                    /**
                                     * Format: date-time
                                     * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                                     */
                                    timestamp?: string;
                                    conditions?: unknown;
                                };
                            } | null;
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
                            verification: {
                                verified: boolean;
                                violations: ("CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE")[];
                                violation_details: {
                                    /** @enum {unknown} */
                                    type: "CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE";
                                    /** @enum {unknown} */
                                    severity: "critical" | "high" | "medium";
                                    description: string;
                                    trace_field: string;
                                }[];
                                warnings: {
                                    type: string;
                                    description: string;
                                    trace_field: string;
                                }[];
                                similarity_score: number;
                                /** @enum {unknown} */
                                recommended_action: "proceed" | "review" | "deny";
                                verified_at: string;
                                algorithm_version: string;
                                card_id: string;
                            };
                            policy: {
                                /** @enum {unknown} */
                                verdict: "pass" | "warn" | "fail";
                                violations: number;
                                warnings: number;
                                policy_id: string | null;
                                policy_version: number | null;
                                tools: string[];
                            } | null;
                            created_at: string;
                        };
                    };
                };
            };
        };
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
         * Store and verify up to 100 traces, each by itself
         * @description Roles owner, admin, member; API key scope ingest. At most 60 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        traces: unknown[];
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            results: {
                                index: number;
                                /** @enum {unknown} */
                                status: "created" | "duplicate" | "rejected";
                                trace_id?: string;
                                verified?: boolean;
                                error?: string;
                                message?: string;
                            }[];
                            accepted: number;
                            duplicates: number;
                            rejected: number;
                        };
                    };
                };
            };
        };
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
         * @description Roles owner, admin, auditor, member; API key scope read. At most 120 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description An AP-trace, at most 64 KB. */
                        trace: {
                            agent_id: string;
                            trace_id?: string;
                            card_id?: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                             */
                            timestamp?: string;
                            action: {
                                /** @enum {unknown} */
                                type: "recommend" | "execute" | "escalate" | "deny";
                                name: string;
                                /** @enum {unknown} */
                                category: "bounded" | "escalation_trigger" | "forbidden";
                                target?: {
                                    type?: string;
                                    identifier?: string;
                                };
                                parameters?: {
                                    [key: string]: unknown;
                                };
                            };
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
                            escalation?: {
                                evaluated: boolean;
                                required: boolean;
                                reason: string;
                                triggers_checked?: {
                                    trigger: string;
                                    matched: boolean;
                                    value_observed?: unknown;
                                }[];
                                escalation_id?: string;
                                /** @enum {unknown} */
                                escalation_status?: "pending" | "approved" | "denied" | "timeout";
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
                            /** @description further members are kept; conditions of the card may ask for them */
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
                        };
                        /** @description an alignment card; the stored one without */
                        card?: unknown;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            verified: boolean;
                            violations: ("CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE")[];
                            violation_details: {
                                /** @enum {unknown} */
                                type: "CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE";
                                /** @enum {unknown} */
                                severity: "critical" | "high" | "medium";
                                description: string;
                                trace_field: string;
                            }[];
                            warnings: {
                                type: string;
                                description: string;
                                trace_field: string;
                            }[];
                            similarity_score: number;
                            /** @enum {unknown} */
                            recommended_action: "proceed" | "review" | "deny";
                            verified_at: string;
                            algorithm_version: string;
                            card_id: string | null;
                        };
                    };
                };
            };
        };
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
         * One trace
         * @description Roles owner, admin, auditor, member; API key scope read. At most 120 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            trace_id: string;
                            agent_id: string;
                            card_id: string;
                            timestamp: string;
                            action: {
                                /** @enum {unknown} */
                                type: "recommend" | "execute" | "escalate" | "deny";
                                name: string;
                                /** @enum {unknown} */
                                category: "bounded" | "escalation_trigger" | "forbidden";
                                target?: {
                                    type?: string;
                                    identifier?: string;
                                };
                                parameters?: {
                                    [key: string]: unknown;
                                };
                            };
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
                            escalation: {
                                evaluated: boolean;
                                required: boolean;
                                reason: string;
                                triggers_checked?: {
                                    trigger: string;
                                    matched: boolean;
                                    value_observed?: unknown;
                                }[];
                                escalation_id?: string;
                                /** @enum {unknown} */
                                escalation_status?: "pending" | "approved" | "denied" | "timeout";
                                principal_response?: {
                                    decision?: string;
                                    /**
                                     * Format: date-time
                                     * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                                     */
                                    timestamp?: string;
                                    conditions?: unknown;
                                };
                            } | null;
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
                            verification: {
                                verified: boolean;
                                violations: ("CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE")[];
                                violation_details: {
                                    /** @enum {unknown} */
                                    type: "CARD_MISMATCH" | "CARD_EXPIRED" | "UNBOUNDED_ACTION" | "FORBIDDEN_ACTION" | "MISSED_ESCALATION" | "UNDECLARED_VALUE";
                                    /** @enum {unknown} */
                                    severity: "critical" | "high" | "medium";
                                    description: string;
                                    trace_field: string;
                                }[];
                                warnings: {
                                    type: string;
                                    description: string;
                                    trace_field: string;
                                }[];
                                similarity_score: number;
                                /** @enum {unknown} */
                                recommended_action: "proceed" | "review" | "deny";
                                verified_at: string;
                                algorithm_version: string;
                                card_id: string;
                            };
                            policy: {
                                /** @enum {unknown} */
                                verdict: "pass" | "warn" | "fail";
                                violations: number;
                                warnings: number;
                                policy_id: string | null;
                                policy_version: number | null;
                                tools: string[];
                            } | null;
                            created_at: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Checkpoints of an agent, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 120 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    verdict?: "clear" | "review_needed" | "boundary_violation";
                    session_id?: string;
                    synthetic?: boolean;
                    flagged?: boolean;
                    /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                    from?: string;
                    /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                    to?: string;
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            checkpoints: {
                                checkpoint_id: string;
                                agent_id: string;
                                card_id: string;
                                session_id: string;
                                timestamp: string;
                                created_at: string;
                                /** @description 64 hexadecimal digits */
                                thinking_block_hash: string;
                                output_block_hash: string | null;
                                provider: string;
                                model: string;
                                /** @enum {unknown} */
                                verdict: "clear" | "review_needed" | "boundary_violation";
                                violation_type: string | null;
                                concerns: {
                                    /** @enum {unknown} */
                                    category: "prompt_injection" | "value_misalignment" | "autonomy_violation" | "reasoning_corruption" | "deceptive_reasoning" | "undeclared_intent" | "output_misalignment" | "output_injection_compliance";
                                    /** @enum {unknown} */
                                    severity: "low" | "medium" | "high" | "critical";
                                    description: string;
                                    evidence: string;
                                    relevant_card_field: string | null;
                                    relevant_conscience_value: string | null;
                                }[];
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
                                    /** @enum {unknown} */
                                    analyzer: "llm" | "rules" | "none";
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
                                    extraction_confidence: number;
                                };
                                synthetic: boolean;
                                synthetic_reason: string | null;
                                flags: string[];
                                excluded_from_score: boolean;
                                cross_validation_warnings: string[];
                                reclassification: ("card_gap" | "behavior_gap") | null;
                                linked_trace_id: string | null;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Analyse a decision and seal the result into the agent's chain
         * @description Roles owner, admin, member; API key scope ingest. At most 600 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            /** @description A decision: thinking, output or both, at most 400,000 characters each. */
            requestBody: {
                content: {
                    "application/json": {
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
                        /** @enum {unknown} */
                        extraction_method?: "native_thinking" | "reasoning_content" | "response_analysis";
                        actions?: string[];
                        /** @description facts that triggers ask for */
                        context?: {
                            [key: string]: unknown;
                        };
                        task_context?: string;
                        trace_id?: string;
                        /** @description analyse only, store nothing */
                        dry_run?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            checkpoint: {
                                checkpoint_id: string | null;
                                agent_id: string;
                                card_id: string;
                                session_id: string;
                                timestamp: string;
                                created_at: string;
                                /** @description 64 hexadecimal digits */
                                thinking_block_hash: string;
                                output_block_hash: string | null;
                                provider: string;
                                model: string;
                                /** @enum {unknown} */
                                verdict: "clear" | "review_needed" | "boundary_violation";
                                violation_type: string | null;
                                concerns: {
                                    /** @enum {unknown} */
                                    category: "prompt_injection" | "value_misalignment" | "autonomy_violation" | "reasoning_corruption" | "deceptive_reasoning" | "undeclared_intent" | "output_misalignment" | "output_injection_compliance";
                                    /** @enum {unknown} */
                                    severity: "low" | "medium" | "high" | "critical";
                                    description: string;
                                    evidence: string;
                                    relevant_card_field: string | null;
                                    relevant_conscience_value: string | null;
                                }[];
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
                                    /** @enum {unknown} */
                                    analyzer: "llm" | "rules" | "none";
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
                                    extraction_confidence: number;
                                };
                                synthetic: boolean;
                                synthetic_reason: string | null;
                                flags: string[];
                                excluded_from_score: boolean;
                                cross_validation_warnings: string[];
                                reclassification: ("card_gap" | "behavior_gap") | null;
                                linked_trace_id: string | null;
                            };
                            proceed: boolean;
                            /** @enum {unknown} */
                            recommended_action: "continue" | "log_and_continue" | "pause_for_review" | "deny_and_escalate";
                            duplicate: boolean;
                            enforcement: {
                                /** @enum {unknown} */
                                mode: "observe" | "nudge" | "enforce";
                                /** @enum {unknown} */
                                action: "none" | "nudge" | "block";
                                message: string | null;
                            };
                            window_summary: {
                                size: number;
                                max_size: number;
                                verdicts: {
                                    clear: number;
                                    review_needed: number;
                                    boundary_violation: number;
                                };
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
                    };
                };
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            checkpoint: {
                                checkpoint_id: string | null;
                                agent_id: string;
                                card_id: string;
                                session_id: string;
                                timestamp: string;
                                created_at: string;
                                /** @description 64 hexadecimal digits */
                                thinking_block_hash: string;
                                output_block_hash: string | null;
                                provider: string;
                                model: string;
                                /** @enum {unknown} */
                                verdict: "clear" | "review_needed" | "boundary_violation";
                                violation_type: string | null;
                                concerns: {
                                    /** @enum {unknown} */
                                    category: "prompt_injection" | "value_misalignment" | "autonomy_violation" | "reasoning_corruption" | "deceptive_reasoning" | "undeclared_intent" | "output_misalignment" | "output_injection_compliance";
                                    /** @enum {unknown} */
                                    severity: "low" | "medium" | "high" | "critical";
                                    description: string;
                                    evidence: string;
                                    relevant_card_field: string | null;
                                    relevant_conscience_value: string | null;
                                }[];
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
                                    /** @enum {unknown} */
                                    analyzer: "llm" | "rules" | "none";
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
                                    extraction_confidence: number;
                                };
                                synthetic: boolean;
                                synthetic_reason: string | null;
                                flags: string[];
                                excluded_from_score: boolean;
                                cross_validation_warnings: string[];
                                reclassification: ("card_gap" | "behavior_gap") | null;
                                linked_trace_id: string | null;
                            };
                            proceed: boolean;
                            /** @enum {unknown} */
                            recommended_action: "continue" | "log_and_continue" | "pause_for_review" | "deny_and_escalate";
                            duplicate: boolean;
                            enforcement: {
                                /** @enum {unknown} */
                                mode: "observe" | "nudge" | "enforce";
                                /** @enum {unknown} */
                                action: "none" | "nudge" | "block";
                                message: string | null;
                            };
                            window_summary: {
                                size: number;
                                max_size: number;
                                verdicts: {
                                    clear: number;
                                    review_needed: number;
                                    boundary_violation: number;
                                };
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
                    };
                };
            };
        };
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
         * Analyse and seal up to 50 decisions, each by itself, in the order given
         * @description Roles owner, admin, member; API key scope ingest. At most 60 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        checkpoints: unknown[];
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            results: {
                                index: number;
                                /** @enum {unknown} */
                                status: "created" | "duplicate" | "rejected";
                                checkpoint_id?: string;
                                /** @enum {unknown} */
                                verdict?: "clear" | "review_needed" | "boundary_violation";
                                proceed?: boolean;
                                /** @description true: it was not analysed */
                                synthetic?: boolean;
                                error?: string;
                                message?: string;
                            }[];
                            accepted: number;
                            duplicates: number;
                            rejected: number;
                        };
                    };
                };
            };
        };
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
         * One checkpoint
         * @description Roles owner, admin, auditor, member; API key scope read. At most 120 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            checkpoint_id: string;
                            agent_id: string;
                            card_id: string;
                            session_id: string;
                            timestamp: string;
                            created_at: string;
                            /** @description 64 hexadecimal digits */
                            thinking_block_hash: string;
                            output_block_hash: string | null;
                            provider: string;
                            model: string;
                            /** @enum {unknown} */
                            verdict: "clear" | "review_needed" | "boundary_violation";
                            violation_type: string | null;
                            concerns: {
                                /** @enum {unknown} */
                                category: "prompt_injection" | "value_misalignment" | "autonomy_violation" | "reasoning_corruption" | "deceptive_reasoning" | "undeclared_intent" | "output_misalignment" | "output_injection_compliance";
                                /** @enum {unknown} */
                                severity: "low" | "medium" | "high" | "critical";
                                description: string;
                                evidence: string;
                                relevant_card_field: string | null;
                                relevant_conscience_value: string | null;
                            }[];
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
                                /** @enum {unknown} */
                                analyzer: "llm" | "rules" | "none";
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
                                extraction_confidence: number;
                            };
                            synthetic: boolean;
                            synthetic_reason: string | null;
                            flags: string[];
                            excluded_from_score: boolean;
                            cross_validation_warnings: string[];
                            reclassification: ("card_gap" | "behavior_gap") | null;
                            linked_trace_id: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * What is counted of an agent's checkpoints
         * @description Roles owner, admin, auditor, member; API key scope read. At most 120 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            agent_id: string;
                            total_checks: number;
                            analyzed_checks: number;
                            clear_count: number;
                            review_count: number;
                            violation_count: number;
                            integrity_ratio: number;
                            latest_verdict: ("clear" | "review_needed" | "boundary_violation") | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Sessions of an agent, the one heard of last first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 120 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            sessions: {
                                session_id: string;
                                checkpoint_count: number;
                                analyzed_count: number;
                                verdicts: {
                                    clear: number;
                                    review_needed: number;
                                    boundary_violation: number;
                                };
                                stable: boolean;
                                started_at: string;
                                last_at: string;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Make traces and checkpoints of OpenTelemetry spans of the GenAI conventions
         * @description Roles owner, admin, member; API key scope ingest. At most 600 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description ResourceSpans of opentelemetry-proto, names in lowerCamelCase */
                        resourceSpans?: unknown[];
                    };
                    "application/x-protobuf": string;
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            partialSuccess?: {
                                /** @description how many, as text: it has 64 bits */
                                rejectedSpans: string;
                                /** @description how many for which reason, and what to do */
                                errorMessage: string;
                            };
                        };
                        "application/x-protobuf": string;
                    };
                };
            };
        };
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
         * Drift alerts of an agent, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 120 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    kind?: "integrity" | "trace";
                    status?: "open" | "resolved";
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            alerts: {
                                alert_id: string;
                                agent_id: string;
                                /** @enum {unknown} */
                                kind: "integrity" | "trace";
                                session_id: string;
                                card_id: string;
                                /** @enum {unknown} */
                                status: "open" | "resolved";
                                /** @enum {unknown} */
                                severity: "low" | "medium" | "high";
                                similarity: number;
                                /** @description 3 in a row for integrity, a similarity of 0.30 for trace */
                                threshold: number;
                                sustained: number;
                                drift_direction: string;
                                checkpoint_ids: string[];
                                trace_ids: string[];
                                message: string;
                                detected_at: string;
                                resolved_at: string | null;
                                resolution: ("acknowledged" | "recovered") | null;
                                acknowledged_by: string | null;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
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
         * @description Roles owner, admin, member; API key scope ingest. At most 60 a minute per caller.
         */
        post: {
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
                        "application/json": {
                            alert_id: string;
                            agent_id: string;
                            /** @enum {unknown} */
                            kind: "integrity" | "trace";
                            session_id: string;
                            card_id: string;
                            /** @enum {unknown} */
                            status: "open" | "resolved";
                            /** @enum {unknown} */
                            severity: "low" | "medium" | "high";
                            similarity: number;
                            /** @description 3 in a row for integrity, a similarity of 0.30 for trace */
                            threshold: number;
                            sustained: number;
                            drift_direction: string;
                            checkpoint_ids: string[];
                            trace_ids: string[];
                            message: string;
                            detected_at: string;
                            resolved_at: string | null;
                            resolution: ("acknowledged" | "recovered") | null;
                            acknowledged_by: string | null;
                        };
                    };
                };
            };
        };
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
         * The score of an agent, its grade, and what the number hides
         * @description No credential needed. At most 100 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            agent_id: string;
                            score: number | null;
                            /** @enum {unknown} */
                            grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                            tier: string;
                            is_eligible: boolean;
                            checkpoint_count: number;
                            /** @enum {unknown} */
                            confidence: "insufficient" | "low" | "medium" | "high";
                            components: {
                                /** @enum {unknown} */
                                key: "integrity_ratio" | "compliance" | "drift_stability" | "trace_completeness" | "coherence_compatibility";
                                label: string;
                                score: number | null;
                                weight: number;
                                weighted_score: number | null;
                                factors: string[];
                                basis: ("measured" | "default") | null;
                                n: number | null;
                            }[];
                            computed_at: string;
                            trend_30d: number;
                            /** @enum {unknown} */
                            visibility: "public" | "unlisted" | "private";
                            a2a_trust_extension: {
                                provider: string;
                                score: number | null;
                                /** @enum {unknown} */
                                grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                                verified_url: string;
                                badge_url: string;
                                verify_url: string;
                                extension_uri: string;
                                confidence: string;
                                methodology_url: string;
                                last_updated: string;
                            };
                            score_interval: {
                                level: number;
                                low: number;
                                high: number;
                            } | null;
                            conservative_score: number | null;
                            grade_probability: {
                                [key: string]: number;
                            } | null;
                            reason_codes: {
                                code: string;
                                /** @enum {unknown} */
                                component: "integrity_ratio" | "compliance" | "drift_stability" | "trace_completeness" | "coherence_compatibility";
                                points_lost: number;
                                evidence_ids: string[];
                            }[] | null;
                            recovery_forecast: {
                                days: number;
                                score: number;
                            }[] | null;
                        };
                    };
                };
            };
        };
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
         * Weekly scores of an agent, latest week first
         * @description No credential needed. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            snapshots: {
                                week_start: string;
                                score: number;
                                /** @enum {unknown} */
                                grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                                checkpoint_count: number;
                                components: {
                                    integrity_ratio: number | null;
                                    compliance: number | null;
                                    drift_stability: number | null;
                                    trace_completeness: number | null;
                                    coherence_compatibility: number | null;
                                };
                            }[];
                        };
                    };
                };
            };
        };
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
         * Compute the score of an agent now
         * @description Roles owner, admin, member; API key scope write. At most 10 a minute per caller.
         */
        post: {
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
                        "application/json": {
                            agent_id: string;
                            score_before: number | null;
                            score_after: number | null;
                            /** @enum {unknown} */
                            grade_before: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                            /** @enum {unknown} */
                            grade_after: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                            reclassifications_applied: number;
                            propagation: {
                                agents_affected: number;
                                max_depth: number;
                                decay_factor: number;
                            };
                            recomputed_at: string;
                        };
                    };
                };
            };
        };
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
         * What the score of an agent would become; stores nothing
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            /** @description What might happen: checkpoints and traces are added now, checkpoints are taken as card gaps, and then days pass. Each added violation counts as a session of its own. */
            requestBody: {
                content: {
                    "application/json": {
                        add_clear?: number;
                        add_review_needed?: number;
                        add_boundary_violations?: number;
                        add_traces?: number;
                        card_gap_ids?: string[];
                        advance_days?: number;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent_id: string;
                            current: {
                                score: number | null;
                                /** @enum {unknown} */
                                grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                                tier: string;
                                is_eligible: boolean;
                                checkpoint_count: number;
                                confidence: string;
                                components: {
                                    /** @enum {unknown} */
                                    key: "integrity_ratio" | "compliance" | "drift_stability" | "trace_completeness" | "coherence_compatibility";
                                    label: string;
                                    score: number | null;
                                    weight: number;
                                    weighted_score: number | null;
                                    factors: string[];
                                    basis: ("measured" | "default") | null;
                                    n: number | null;
                                }[];
                            };
                            predicted: {
                                score: number | null;
                                /** @enum {unknown} */
                                grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                                tier: string;
                                is_eligible: boolean;
                                checkpoint_count: number;
                                confidence: string;
                                components: {
                                    /** @enum {unknown} */
                                    key: "integrity_ratio" | "compliance" | "drift_stability" | "trace_completeness" | "coherence_compatibility";
                                    label: string;
                                    score: number | null;
                                    weight: number;
                                    weighted_score: number | null;
                                    factors: string[];
                                    basis: ("measured" | "default") | null;
                                    n: number | null;
                                }[];
                            };
                        };
                    };
                };
            };
        };
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
         * A badge with the score of an agent, as SVG
         * @description No credential needed. At most 300 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    variant?: "score" | "score_tier" | "score_trend" | "compact";
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
         * Scores of up to 50 agents, one for each distinct id
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        agent_ids: string[];
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            scores: {
                                agent_id: string;
                                score: number | null;
                                /** @enum {unknown} */
                                grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                                tier: string;
                                /** @enum {unknown} */
                                confidence: "insufficient" | "low" | "medium" | "high";
                                trend_30d: number;
                            }[];
                        };
                    };
                };
            };
        };
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
         * Rated agents: public ones, and unlisted ones of your organisation
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    /** @description part of the name or id, at most 200 characters; case is ignored */
                    q?: string;
                    grade?: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC";
                    confidence?: "low" | "medium" | "high";
                    /** @description default score; names ascend, numbers descend, equal ones by score, then id */
                    sort?: "score" | "name" | "trend" | "checkpoints";
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            agents: {
                                agent_id: string;
                                agent_name: string;
                                score: number;
                                /** @enum {unknown} */
                                grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC";
                                tier: string;
                                /** @enum {unknown} */
                                confidence: "insufficient" | "low" | "medium" | "high";
                                checkpoint_count: number;
                                trend_30d: number;
                                /** @enum {unknown} */
                                visibility: "public" | "unlisted";
                                claimed: boolean;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
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
         * Scores of 2 to 10 agents side by side
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            agents: {
                                agent_id: string;
                                score: number | null;
                                /** @enum {unknown} */
                                grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                                components: {
                                    integrity_ratio: number | null;
                                    compliance: number | null;
                                    drift_stability: number | null;
                                    trace_completeness: number | null;
                                    coherence_compatibility: number | null;
                                };
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Rated public agents, for everybody
         * @description No credential needed. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    /** @description part of the name or id, at most 200 characters; case is ignored */
                    q?: string;
                    grade?: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC";
                    confidence?: "low" | "medium" | "high";
                    /** @description default score; names ascend, numbers descend, equal ones by score, then id */
                    sort?: "score" | "name" | "trend" | "checkpoints";
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            agents: {
                                agent_id: string;
                                agent_name: string;
                                score: number;
                                /** @enum {unknown} */
                                grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC";
                                tier: string;
                                /** @enum {unknown} */
                                confidence: "insufficient" | "low" | "medium" | "high";
                                checkpoint_count: number;
                                trend_30d: number;
                                /** @enum {unknown} */
                                visibility: "public" | "unlisted";
                                claimed: boolean;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * How the scores of public agents are distributed, as of the last hourly run
         * @description No credential needed. At most 30 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            total_scored: number;
                            mean_score: number;
                            median_score: number;
                            distribution: {
                                /** @enum {unknown} */
                                grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC";
                                count: number;
                                percentage: number;
                            }[];
                            percentiles: {
                                p10: number;
                                p25: number;
                                p50: number;
                                p75: number;
                                p90: number;
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Whether the evidence behind a score is what it was
         * @description No credential needed. At most 30 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    /** @description full walks the whole chain now, for the organisation of the agent; by default what came since the last audit is walked */
                    depth?: "tail" | "full";
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
                        "application/json": {
                            agent_id: string;
                            score: number;
                            grade: string;
                            /** @description true when every check passes */
                            verified: boolean;
                            verification: {
                                certificate_hash: string | null;
                                merkle_root: string | null;
                                hash_chain_valid: boolean;
                                /** @description analysed ones, those left out included */
                                checkpoint_count: number;
                                latest_checkpoint_id: string | null;
                                latest_checkpoint_at: string | null;
                                proof_generated_at: string;
                                audited_through: number | null;
                                audited_at: string | null;
                            };
                            computed_at: string;
                        };
                    };
                };
            };
        };
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
         * Everything needed to recompute a score and to check it, line by line
         * @description No credential needed. At most 30 a minute per caller.
         */
        get: {
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
        put?: never;
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
         * The policy of an agent; YAML when Accept asks for it
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            id: string;
                            version: number;
                            meta: {
                                schema_version: string;
                                name: string;
                                description?: string;
                                scope: string;
                            };
                            capability_mappings: {
                                [key: string]: {
                                    description?: string;
                                    tools: string[];
                                    card_actions: string[];
                                };
                            };
                            forbidden: {
                                pattern: string;
                                reason: string;
                                severity: string;
                            }[];
                            escalation_triggers: {
                                condition: string;
                                action: string;
                                reason: string;
                                severity?: string;
                            }[];
                            defaults: {
                                unmapped_tool_action?: string;
                                unmapped_severity?: string;
                                fail_open?: boolean;
                                enforcement_mode?: string;
                                grace_period_hours?: number;
                            };
                            created_at: string;
                            updated_at: string;
                        };
                        "application/yaml": string;
                    };
                };
            };
        };
        /**
         * Write the policy of an agent; If-Match and If-None-Match are honoured
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            /** @description A policy document: meta {schema_version, name, description?, scope}, capability_mappings? {name: {tools, card_actions, description?}}, forbidden? [{pattern, reason, severity}], escalation_triggers? [{condition, action, reason, severity?}], defaults? {enforcement_mode, unmapped_tool_action, unmapped_severity, grace_period_hours, fail_open}; JSON, or YAML by content type. Nothing is stopped unless enforcement_mode is enforce, and unmapped tools are not stopped in their first 24 hours unless grace_period_hours is 0. The policy of a team binds only transactions of its members. Every field, value and condition: docs/concepts/policies.md. */
            requestBody: {
                content: {
                    "application/json": unknown;
                    "text/yaml": unknown;
                    "application/yaml": unknown;
                    "application/x-yaml": unknown;
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            version: number;
                            meta: {
                                schema_version: string;
                                name: string;
                                description?: string;
                                scope: string;
                            };
                            capability_mappings: {
                                [key: string]: {
                                    description?: string;
                                    tools: string[];
                                    card_actions: string[];
                                };
                            };
                            forbidden: {
                                pattern: string;
                                reason: string;
                                severity: string;
                            }[];
                            escalation_triggers: {
                                condition: string;
                                action: string;
                                reason: string;
                                severity?: string;
                            }[];
                            defaults: {
                                unmapped_tool_action?: string;
                                unmapped_severity?: string;
                                fail_open?: boolean;
                                enforcement_mode?: string;
                                grace_period_hours?: number;
                            };
                            created_at: string;
                            updated_at: string;
                            warnings: {
                                path: string;
                                code: string;
                                message: string;
                            }[];
                        };
                    };
                };
            };
        };
        post?: never;
        /**
         * Delete the policy of an agent; its versions are kept
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        delete: {
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
         * Versions of the policy of an agent, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            versions: {
                                version: number;
                                id: string;
                                meta: {
                                    schema_version: string;
                                    name: string;
                                    description?: string;
                                    scope: string;
                                } | null;
                                updated_at: string;
                                updated_by: string;
                                deleted: boolean;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
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
         * One version of the policy of an agent
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            id: string;
                            version: number;
                            meta: {
                                schema_version: string;
                                name: string;
                                description?: string;
                                scope: string;
                            };
                            capability_mappings: {
                                [key: string]: {
                                    description?: string;
                                    tools: string[];
                                    card_actions: string[];
                                };
                            };
                            forbidden: {
                                pattern: string;
                                reason: string;
                                severity: string;
                            }[];
                            escalation_triggers: {
                                condition: string;
                                action: string;
                                reason: string;
                                severity?: string;
                            }[];
                            defaults: {
                                unmapped_tool_action?: string;
                                unmapped_severity?: string;
                                fail_open?: boolean;
                                enforcement_mode?: string;
                                grace_period_hours?: number;
                            };
                            created_at: string;
                            updated_at: string;
                        };
                        "application/yaml": string;
                    };
                };
            };
        };
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
         * The policy of an organisation; YAML when Accept asks for it
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            id: string;
                            version: number;
                            meta: {
                                schema_version: string;
                                name: string;
                                description?: string;
                                scope: string;
                            };
                            capability_mappings: {
                                [key: string]: {
                                    description?: string;
                                    tools: string[];
                                    card_actions: string[];
                                };
                            };
                            forbidden: {
                                pattern: string;
                                reason: string;
                                severity: string;
                            }[];
                            escalation_triggers: {
                                condition: string;
                                action: string;
                                reason: string;
                                severity?: string;
                            }[];
                            defaults: {
                                unmapped_tool_action?: string;
                                unmapped_severity?: string;
                                fail_open?: boolean;
                                enforcement_mode?: string;
                                grace_period_hours?: number;
                            };
                            created_at: string;
                            updated_at: string;
                        };
                        "application/yaml": string;
                    };
                };
            };
        };
        /**
         * Write the policy of an organisation; If-Match and If-None-Match are honoured
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    org_id: string;
                };
                cookie?: never;
            };
            /** @description A policy document: meta {schema_version, name, description?, scope}, capability_mappings? {name: {tools, card_actions, description?}}, forbidden? [{pattern, reason, severity}], escalation_triggers? [{condition, action, reason, severity?}], defaults? {enforcement_mode, unmapped_tool_action, unmapped_severity, grace_period_hours, fail_open}; JSON, or YAML by content type. Nothing is stopped unless enforcement_mode is enforce, and unmapped tools are not stopped in their first 24 hours unless grace_period_hours is 0. The policy of a team binds only transactions of its members. Every field, value and condition: docs/concepts/policies.md. */
            requestBody: {
                content: {
                    "application/json": unknown;
                    "text/yaml": unknown;
                    "application/yaml": unknown;
                    "application/x-yaml": unknown;
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            version: number;
                            meta: {
                                schema_version: string;
                                name: string;
                                description?: string;
                                scope: string;
                            };
                            capability_mappings: {
                                [key: string]: {
                                    description?: string;
                                    tools: string[];
                                    card_actions: string[];
                                };
                            };
                            forbidden: {
                                pattern: string;
                                reason: string;
                                severity: string;
                            }[];
                            escalation_triggers: {
                                condition: string;
                                action: string;
                                reason: string;
                                severity?: string;
                            }[];
                            defaults: {
                                unmapped_tool_action?: string;
                                unmapped_severity?: string;
                                fail_open?: boolean;
                                enforcement_mode?: string;
                                grace_period_hours?: number;
                            };
                            created_at: string;
                            updated_at: string;
                            warnings: {
                                path: string;
                                code: string;
                                message: string;
                            }[];
                        };
                    };
                };
            };
        };
        post?: never;
        /**
         * Delete the policy of an organisation; its versions are kept
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        delete: {
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
         * Versions of the policy of an organisation, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            versions: {
                                version: number;
                                id: string;
                                meta: {
                                    schema_version: string;
                                    name: string;
                                    description?: string;
                                    scope: string;
                                } | null;
                                updated_at: string;
                                updated_by: string;
                                deleted: boolean;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
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
         * One version of the policy of an organisation
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            id: string;
                            version: number;
                            meta: {
                                schema_version: string;
                                name: string;
                                description?: string;
                                scope: string;
                            };
                            capability_mappings: {
                                [key: string]: {
                                    description?: string;
                                    tools: string[];
                                    card_actions: string[];
                                };
                            };
                            forbidden: {
                                pattern: string;
                                reason: string;
                                severity: string;
                            }[];
                            escalation_triggers: {
                                condition: string;
                                action: string;
                                reason: string;
                                severity?: string;
                            }[];
                            defaults: {
                                unmapped_tool_action?: string;
                                unmapped_severity?: string;
                                fail_open?: boolean;
                                enforcement_mode?: string;
                                grace_period_hours?: number;
                            };
                            created_at: string;
                            updated_at: string;
                        };
                        "application/yaml": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
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
         * The policy of a team; YAML when Accept asks for it
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            id: string;
                            version: number;
                            meta: {
                                schema_version: string;
                                name: string;
                                description?: string;
                                scope: string;
                            };
                            capability_mappings: {
                                [key: string]: {
                                    description?: string;
                                    tools: string[];
                                    card_actions: string[];
                                };
                            };
                            forbidden: {
                                pattern: string;
                                reason: string;
                                severity: string;
                            }[];
                            escalation_triggers: {
                                condition: string;
                                action: string;
                                reason: string;
                                severity?: string;
                            }[];
                            defaults: {
                                unmapped_tool_action?: string;
                                unmapped_severity?: string;
                                fail_open?: boolean;
                                enforcement_mode?: string;
                                grace_period_hours?: number;
                            };
                            created_at: string;
                            updated_at: string;
                        };
                        "application/yaml": string;
                    };
                };
            };
        };
        /**
         * Write the policy of a team; If-Match and If-None-Match are honoured
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    team_id: string;
                };
                cookie?: never;
            };
            /** @description A policy document: meta {schema_version, name, description?, scope}, capability_mappings? {name: {tools, card_actions, description?}}, forbidden? [{pattern, reason, severity}], escalation_triggers? [{condition, action, reason, severity?}], defaults? {enforcement_mode, unmapped_tool_action, unmapped_severity, grace_period_hours, fail_open}; JSON, or YAML by content type. Nothing is stopped unless enforcement_mode is enforce, and unmapped tools are not stopped in their first 24 hours unless grace_period_hours is 0. The policy of a team binds only transactions of its members. Every field, value and condition: docs/concepts/policies.md. */
            requestBody: {
                content: {
                    "application/json": unknown;
                    "text/yaml": unknown;
                    "application/yaml": unknown;
                    "application/x-yaml": unknown;
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            version: number;
                            meta: {
                                schema_version: string;
                                name: string;
                                description?: string;
                                scope: string;
                            };
                            capability_mappings: {
                                [key: string]: {
                                    description?: string;
                                    tools: string[];
                                    card_actions: string[];
                                };
                            };
                            forbidden: {
                                pattern: string;
                                reason: string;
                                severity: string;
                            }[];
                            escalation_triggers: {
                                condition: string;
                                action: string;
                                reason: string;
                                severity?: string;
                            }[];
                            defaults: {
                                unmapped_tool_action?: string;
                                unmapped_severity?: string;
                                fail_open?: boolean;
                                enforcement_mode?: string;
                                grace_period_hours?: number;
                            };
                            created_at: string;
                            updated_at: string;
                            warnings: {
                                path: string;
                                code: string;
                                message: string;
                            }[];
                        };
                    };
                };
            };
        };
        post?: never;
        /**
         * Delete the policy of a team; its versions are kept
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        delete: {
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
         * Versions of the policy of a team, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            versions: {
                                version: number;
                                id: string;
                                meta: {
                                    schema_version: string;
                                    name: string;
                                    description?: string;
                                    scope: string;
                                } | null;
                                updated_at: string;
                                updated_by: string;
                                deleted: boolean;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
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
         * One version of the policy of a team
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            id: string;
                            version: number;
                            meta: {
                                schema_version: string;
                                name: string;
                                description?: string;
                                scope: string;
                            };
                            capability_mappings: {
                                [key: string]: {
                                    description?: string;
                                    tools: string[];
                                    card_actions: string[];
                                };
                            };
                            forbidden: {
                                pattern: string;
                                reason: string;
                                severity: string;
                            }[];
                            escalation_triggers: {
                                condition: string;
                                action: string;
                                reason: string;
                                severity?: string;
                            }[];
                            defaults: {
                                unmapped_tool_action?: string;
                                unmapped_severity?: string;
                                fail_open?: boolean;
                                enforcement_mode?: string;
                                grace_period_hours?: number;
                            };
                            created_at: string;
                            updated_at: string;
                        };
                        "application/yaml": string;
                    };
                };
            };
        };
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
         * What an agent is held to: its organisation's policy merged with its own
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            agent_id: string;
                            org_id: string;
                            resolved_policy: {
                                id: string;
                                version: number;
                                meta: {
                                    schema_version: string;
                                    name: string;
                                    description?: string;
                                    scope: string;
                                };
                                capability_mappings: {
                                    [key: string]: {
                                        description?: string;
                                        tools: string[];
                                        card_actions: string[];
                                    };
                                };
                                forbidden: {
                                    pattern: string;
                                    reason: string;
                                    severity: string;
                                }[];
                                escalation_triggers: {
                                    condition: string;
                                    action: string;
                                    reason: string;
                                    severity?: string;
                                }[];
                                defaults: {
                                    unmapped_tool_action?: string;
                                    unmapped_severity?: string;
                                    fail_open?: boolean;
                                    enforcement_mode?: string;
                                    grace_period_hours?: number;
                                };
                            };
                            sources: {
                                org_policy_version: number;
                                agent_policy_version: number;
                                merge_strategy: string;
                            };
                            resolved_at: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Say what is wrong with a policy, without storing it
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description A policy document: meta {schema_version, name, description?, scope}, capability_mappings? {name: {tools, card_actions, description?}}, forbidden? [{pattern, reason, severity}], escalation_triggers? [{condition, action, reason, severity?}], defaults? {enforcement_mode, unmapped_tool_action, unmapped_severity, grace_period_hours, fail_open}; JSON, or YAML by content type. Nothing is stopped unless enforcement_mode is enforce, and unmapped tools are not stopped in their first 24 hours unless grace_period_hours is 0. The policy of a team binds only transactions of its members. Every field, value and condition: docs/concepts/policies.md. */
            requestBody: {
                content: {
                    "application/json": unknown;
                    "text/yaml": unknown;
                    "application/yaml": unknown;
                    "application/x-yaml": unknown;
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            valid: boolean;
                            errors: {
                                path: string;
                                code: string;
                                message: string;
                            }[];
                            warnings: {
                                path: string;
                                code: string;
                                message: string;
                            }[];
                            normalized: {
                                meta: {
                                    schema_version: string;
                                    name: string;
                                    description?: string;
                                    scope: string;
                                };
                                capability_mappings: {
                                    [key: string]: {
                                        description?: string;
                                        tools: string[];
                                        card_actions: string[];
                                    };
                                };
                                forbidden: {
                                    pattern: string;
                                    reason: string;
                                    severity: string;
                                }[];
                                escalation_triggers: {
                                    condition: string;
                                    action: string;
                                    reason: string;
                                    severity?: string;
                                }[];
                                defaults: {
                                    unmapped_tool_action?: string;
                                    unmapped_severity?: string;
                                    fail_open?: boolean;
                                    enforcement_mode?: string;
                                    grace_period_hours?: number;
                                };
                            } | null;
                        };
                    };
                };
            };
        };
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
         * What an organisation lays over the cards of its agents
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            org_id: string;
                            enabled: boolean;
                            template: {
                                card_id: string;
                                agent_id: string | null;
                                is_active: boolean;
                                /** @description an alignment card of which any part may be missing; card_id, agent_id, principal, issued_at and expires_at say nothing in it */
                                card_json: {
                                    [key: string]: unknown;
                                };
                                conscience_values: {
                                    /** @enum {unknown} */
                                    type: "BOUNDARY" | "FEAR" | "COMMITMENT" | "BELIEF" | "HOPE";
                                    name: string;
                                    content: string;
                                }[];
                                issued_at: string;
                            };
                            created_by: string;
                            updated_by: string;
                            created_at: string;
                            updated_at: string;
                        };
                    };
                };
            };
        };
        /**
         * Write the card template; If-Match and If-None-Match are honoured
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        put: {
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
                    "application/json": {
                        enabled: boolean;
                        template: {
                            /** @description an alignment card of which any part may be missing; card_id, agent_id, principal, issued_at and expires_at say nothing in it */
                            card_json: {
                                [key: string]: unknown;
                            };
                            /** @description at most 20 of {type, name, content} */
                            conscience_values?: unknown[];
                            card_id?: string;
                            agent_id?: string | null;
                            /** @description is what enabled says */
                            is_active?: boolean;
                            /**
                             * Format: date-time
                             * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                             */
                            issued_at?: string;
                        };
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            org_id: string;
                            enabled: boolean;
                            template: {
                                card_id: string;
                                agent_id: string | null;
                                is_active: boolean;
                                /** @description an alignment card of which any part may be missing; card_id, agent_id, principal, issued_at and expires_at say nothing in it */
                                card_json: {
                                    [key: string]: unknown;
                                };
                                conscience_values: {
                                    /** @enum {unknown} */
                                    type: "BOUNDARY" | "FEAR" | "COMMITMENT" | "BELIEF" | "HOPE";
                                    name: string;
                                    content: string;
                                }[];
                                issued_at: string;
                            };
                            created_by: string;
                            updated_by: string;
                            created_at: string;
                            updated_at: string;
                            warnings: {
                                path: string;
                                code: string;
                                message: string;
                            }[];
                        };
                    };
                };
            };
        };
        post?: never;
        /**
         * Delete the card template; agents are held against their own cards again
         * @description Roles owner; not with an API key. At most 30 a minute per caller.
         */
        delete: {
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
                        "application/json": {
                            /** @enum {boolean} */
                            deleted: true;
                        };
                    };
                };
            };
        };
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
         * Exempt an agent from its organisation's card template, or no more
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        put: {
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
                    "application/json": {
                        exempt: boolean;
                        reason?: string | null;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent_id: string;
                            exempt: boolean;
                            reason: string | null;
                            updated_at: string;
                        };
                    };
                };
            };
        };
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
         * An organisation's conscience values in their order, and how they are used
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            org_id: string;
                            /**
                             * @description replace does without the base that holds for every agent
                             * @enum {unknown}
                             */
                            mode: "augment" | "replace";
                            enabled: boolean;
                            values: {
                                id: string;
                                org_id: string;
                                name: string;
                                description: string;
                                /** @enum {unknown} */
                                type: "BOUNDARY" | "FEAR" | "COMMITMENT" | "BELIEF" | "HOPE";
                                /**
                                 * @description mandatory acts as BOUNDARY whatever its type; an advisory BOUNDARY as FEAR
                                 * @enum {unknown}
                                 */
                                severity: "advisory" | "mandatory";
                                is_active: boolean;
                                sort_order: number;
                                created_by: string;
                                updated_by: string;
                                created_at: string;
                                updated_at: string;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Add a conscience value; it comes last and holds at once
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        /** @description unique in the organisation, whatever its case */
                        name: string;
                        /** @description what the value says; agents are held to these words */
                        description: string;
                        /** @enum {unknown} */
                        type: "BOUNDARY" | "FEAR" | "COMMITMENT" | "BELIEF" | "HOPE";
                        /**
                         * @description mandatory acts as BOUNDARY whatever its type; an advisory BOUNDARY as FEAR
                         * @enum {unknown}
                         */
                        severity?: "advisory" | "mandatory";
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            org_id: string;
                            name: string;
                            description: string;
                            /** @enum {unknown} */
                            type: "BOUNDARY" | "FEAR" | "COMMITMENT" | "BELIEF" | "HOPE";
                            /**
                             * @description mandatory acts as BOUNDARY whatever its type; an advisory BOUNDARY as FEAR
                             * @enum {unknown}
                             */
                            severity: "advisory" | "mandatory";
                            is_active: boolean;
                            sort_order: number;
                            created_by: string;
                            updated_by: string;
                            created_at: string;
                            updated_at: string;
                        };
                    };
                };
            };
        };
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
         * Who changed which conscience value, newest first
         * @description Roles owner, admin, auditor; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            org_id: string;
                            entries: {
                                id: string;
                                org_id: string;
                                /** @enum {unknown} */
                                action: "create" | "update" | "activate" | "deactivate" | "delete" | "reorder" | "mode_change";
                                /** @description user id, or key id for a key */
                                actor: string;
                                value_id: string | null;
                                changes: {
                                    [key: string]: {
                                        from: unknown;
                                        to: unknown;
                                    };
                                };
                                metadata: {
                                    [key: string]: unknown;
                                };
                                created_at: string;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * All values an agent is held to: base, organisation, template and its own
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            agent_id: string;
                            values: {
                                /** @enum {unknown} */
                                type: "BOUNDARY" | "FEAR" | "COMMITMENT" | "BELIEF" | "HOPE";
                                name: string;
                                content: string;
                                severity: ("advisory" | "mandatory") | null;
                                /** @enum {unknown} */
                                source: "base" | "org" | "template" | "agent";
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
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
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        delete: {
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
                        "application/json": {
                            /** @enum {boolean} */
                            deleted: true;
                            id: string;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Change a conscience value, or switch it on or off
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        patch: {
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
                    "application/json": {
                        /** @description unique in the organisation, whatever its case */
                        name?: string;
                        /** @description what the value says; agents are held to these words */
                        description?: string;
                        /** @enum {unknown} */
                        type?: "BOUNDARY" | "FEAR" | "COMMITMENT" | "BELIEF" | "HOPE";
                        /**
                         * @description mandatory acts as BOUNDARY whatever its type; an advisory BOUNDARY as FEAR
                         * @enum {unknown}
                         */
                        severity?: "advisory" | "mandatory";
                        is_active?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            org_id: string;
                            name: string;
                            description: string;
                            /** @enum {unknown} */
                            type: "BOUNDARY" | "FEAR" | "COMMITMENT" | "BELIEF" | "HOPE";
                            /**
                             * @description mandatory acts as BOUNDARY whatever its type; an advisory BOUNDARY as FEAR
                             * @enum {unknown}
                             */
                            severity: "advisory" | "mandatory";
                            is_active: boolean;
                            sort_order: number;
                            created_by: string;
                            updated_by: string;
                            created_at: string;
                            updated_at: string;
                        };
                    };
                };
            };
        };
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
         * Put all conscience values into this order
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        put: {
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
                    "application/json": {
                        /** @description every id once */
                        order: string[];
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description false when the order was this already */
                            reordered: boolean;
                            order: string[];
                        };
                    };
                };
            };
        };
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
         * Add to the base values or replace them; switch all values on or off
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        put: {
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
                    "application/json": {
                        /**
                         * @description replace does without the base that holds for every agent
                         * @enum {unknown}
                         */
                        mode?: "augment" | "replace";
                        enabled?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            org_id: string;
                            /**
                             * @description replace does without the base that holds for every agent
                             * @enum {unknown}
                             */
                            mode: "augment" | "replace";
                            enabled: boolean;
                        };
                    };
                };
            };
        };
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
         * Hold tools an agent wants to use to its policy; X-Policy-Verdict has the verdict
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        agent_id: string;
                        tools: string[];
                        /**
                         * @default gateway
                         * @enum {unknown}
                         */
                        context?: "gateway" | "runtime" | "audit";
                        transaction_id?: string;
                        /** @description a document to be used in place of the agent's own, just this once */
                        policy?: unknown;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {unknown} */
                            verdict: "pass" | "warn" | "fail";
                            violations: {
                                /** @enum {unknown} */
                                type: "forbidden" | "unmapped" | "escalation";
                                /** @description * when it is the call as a whole */
                                tool: string;
                                reason: string;
                                /** @enum {unknown} */
                                severity: "low" | "medium" | "high" | "critical";
                                blocking: boolean;
                                /** @description a pattern or condition; or default, card, transaction */
                                rule: string;
                                capability?: string;
                                /** @enum {unknown} */
                                action?: "escalate" | "deny";
                            }[];
                            warnings: {
                                /** @enum {unknown} */
                                type: "unmapped_tool" | "grace_period" | "escalation_triggered";
                                tool: string;
                                reason: string;
                                expires_at?: string;
                            }[];
                            card_gaps: {
                                tool: string;
                                capability: string;
                                missing_card_actions: string[];
                                reason: string;
                            }[];
                            coverage: {
                                total_card_actions: number;
                                mapped_card_actions: string[];
                                unmapped_card_actions: string[];
                                coverage_pct: number;
                            };
                            policy_id: string | null;
                            policy_version: number | null;
                            evaluated_at: string;
                            /** @enum {unknown} */
                            context: "gateway" | "runtime" | "audit";
                            duration_ms: number;
                            /** @enum {unknown} */
                            enforcement_mode: "off" | "warn" | "enforce";
                            transaction_id: string | null;
                            /** @description of all; the first 1,000 are given */
                            violation_count: number;
                            /** @description of all; the first 1,000 are given */
                            warning_count: number;
                            evaluation_id: string | null;
                        };
                    };
                };
            };
        };
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
         * Hold an agent's past traces to its policy, or to a candidate
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
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
                        /**
                         * @default audit
                         * @enum {unknown}
                         */
                        context?: "gateway" | "runtime" | "audit";
                        /** @description a document to be used in place of the agent's own, just this once */
                        policy?: unknown;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent_id: string;
                            traces_evaluated: number;
                            /** @enum {unknown} */
                            verdict: "pass" | "warn" | "fail";
                            violation_count: number;
                            /** @description the first 1,000 by time and trace */
                            violations: {
                                trace_id: string;
                                occurred_at: string;
                                /** @enum {unknown} */
                                type: "forbidden" | "unmapped" | "escalation";
                                /** @description * when it is the call as a whole */
                                tool: string;
                                reason: string;
                                /** @enum {unknown} */
                                severity: "low" | "medium" | "high" | "critical";
                                blocking: boolean;
                                /** @description a pattern or condition; or default, card, transaction */
                                rule: string;
                                capability?: string;
                                /** @enum {unknown} */
                                action?: "escalate" | "deny";
                            }[];
                            summary: {
                                pass: number;
                                warn: number;
                                fail: number;
                            };
                            /** @description older traces than the newest 10,000 were left out */
                            truncated: boolean;
                            policy_id: string | null;
                            policy_version: number | null;
                            evaluated_at: string;
                            duration_ms: number;
                        };
                    };
                };
            };
        };
        delete?: never;
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
         * Evaluations of calls and traces of an agent in 90 days, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    verdict?: "pass" | "warn" | "fail";
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            evaluations: {
                                /** @enum {unknown} */
                                verdict: "pass" | "warn" | "fail";
                                violations: {
                                    /** @enum {unknown} */
                                    type: "forbidden" | "unmapped" | "escalation";
                                    /** @description * when it is the call as a whole */
                                    tool: string;
                                    reason: string;
                                    /** @enum {unknown} */
                                    severity: "low" | "medium" | "high" | "critical";
                                    blocking: boolean;
                                    /** @description a pattern or condition; or default, card, transaction */
                                    rule: string;
                                    capability?: string;
                                    /** @enum {unknown} */
                                    action?: "escalate" | "deny";
                                }[];
                                warnings: {
                                    /** @enum {unknown} */
                                    type: "unmapped_tool" | "grace_period" | "escalation_triggered";
                                    tool: string;
                                    reason: string;
                                    expires_at?: string;
                                }[];
                                card_gaps: {
                                    tool: string;
                                    capability: string;
                                    missing_card_actions: string[];
                                    reason: string;
                                }[];
                                coverage: {
                                    total_card_actions: number;
                                    mapped_card_actions: string[];
                                    unmapped_card_actions: string[];
                                    coverage_pct: number;
                                };
                                policy_id: string | null;
                                policy_version: number | null;
                                evaluated_at: string;
                                /** @enum {unknown} */
                                context: "gateway" | "runtime" | "audit";
                                duration_ms: number;
                                /** @enum {unknown} */
                                enforcement_mode: "off" | "warn" | "enforce";
                                transaction_id: string | null;
                                evaluation_id: string;
                                agent_id: string;
                                trace_id: string | null;
                                /** @description of all; the first 100 are given */
                                violation_count: number;
                                /** @description of all; the first 100 are given */
                                warning_count: number;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Say what a draft of a policy would have changed in the last days; stores nothing
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description whose policy the draft is; only and always for a draft of scope agent */
                        agent_id?: string;
                        /** @description the draft, a policy document; its meta.scope, agent or org, says where it would hold */
                        policy: unknown;
                        /** @default 7 */
                        days?: number;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            org_id: string;
                            agent_id: string | null;
                            days: number;
                            from: string;
                            to: string;
                            relation: ("equal" | "stricter" | "looser" | "incomparable") | null;
                            relation_reason: string | null;
                            counterexample: {
                                newly_blocked: string | null;
                                newly_allowed: string | null;
                            };
                            /** @description what differs too but depends on more than a name: card, deny_triggers, escalate_triggers, enforcement_mode, grace_period_hours, fail_open */
                            unweighed: string[];
                            /** @description those of unweighed that may let through what is stopped today */
                            may_loosen: string[];
                            traces_evaluated: number;
                            /** @description older traces were left out: beyond 10,000, or for want of time */
                            truncated: boolean;
                            /** @description fail with the draft, and did not */
                            newly_failing: number;
                            /** @description fail now, and would not with the draft */
                            newly_passing: number;
                            unchanged: number;
                            /** @description the 200 with most changes */
                            tools: {
                                /** @description * is the call as a whole */
                                tool: string;
                                /** @description fail with the draft, and did not */
                                newly_failing: number;
                                /** @description fail now, and would not with the draft */
                                newly_passing: number;
                                unchanged: number;
                                /** @description the newest 10 that change */
                                samples: {
                                    trace_id: string;
                                    agent_id: string;
                                    timestamp: string;
                                    /** @enum {unknown} */
                                    before: "pass" | "warn" | "fail";
                                    /** @enum {unknown} */
                                    after: "pass" | "warn" | "fail";
                                }[];
                            }[];
                            tools_total: number;
                            /** @description the 200 with most changes */
                            agents: {
                                agent_id: string;
                                /** @description fail with the draft, and did not */
                                newly_failing: number;
                                /** @description fail now, and would not with the draft */
                                newly_passing: number;
                                unchanged: number;
                            }[];
                            agents_total: number;
                        };
                    };
                };
            };
        };
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
         * Transactions of your organisation, newest first, without merged policies
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    agent_id?: string;
                    status?: "active" | "completed" | "expired";
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            transactions: {
                                transaction_id: string;
                                agent_id: string;
                                description: string;
                                /** @enum {unknown} */
                                action_type: "financial_operation" | "financial_transaction" | "data_access" | "data_modification" | "content_generation" | "communication" | "code_execution" | "tool_invocation" | "task_delegation" | "autonomous_operation" | "multi_agent_coordination";
                                /** @enum {unknown} */
                                status: "active" | "completed" | "expired";
                                tools: string[];
                                team_ids: string[];
                                created_at: string;
                                expires_at: string;
                                completed_at: string | null;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Begin a transaction: for a time, an agent is held to the tools listed
         * @description Roles owner, admin, member; API key scope write. At most 30 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        agent_id: string;
                        description: string;
                        /** @enum {unknown} */
                        action_type: "financial_operation" | "financial_transaction" | "data_access" | "data_modification" | "content_generation" | "communication" | "code_execution" | "tool_invocation" | "task_delegation" | "autonomous_operation" | "multi_agent_coordination";
                        /** @description names in full, without * and ?; of each 1 to 256 characters */
                        tools: string[];
                        /** @default 1 */
                        duration_hours?: number;
                        /** @description only this team's policy narrows it; without, those of all teams of the agent */
                        team_id?: string;
                        /** @description a policy document that narrows further; meta is optional */
                        policy?: unknown;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            transaction_id: string;
                            agent_id: string;
                            description: string;
                            /** @enum {unknown} */
                            action_type: "financial_operation" | "financial_transaction" | "data_access" | "data_modification" | "content_generation" | "communication" | "code_execution" | "tool_invocation" | "task_delegation" | "autonomous_operation" | "multi_agent_coordination";
                            /** @enum {unknown} */
                            status: "active" | "completed" | "expired";
                            tools: string[];
                            team_ids: string[];
                            created_at: string;
                            expires_at: string;
                            completed_at: string | null;
                            /** @description a policy document: what all layers said together at creation; evaluations merge anew */
                            merged_policy: {
                                [key: string]: unknown;
                            };
                        };
                    };
                };
            };
        };
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
         * One transaction
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            transaction_id: string;
                            agent_id: string;
                            description: string;
                            /** @enum {unknown} */
                            action_type: "financial_operation" | "financial_transaction" | "data_access" | "data_modification" | "content_generation" | "communication" | "code_execution" | "tool_invocation" | "task_delegation" | "autonomous_operation" | "multi_agent_coordination";
                            /** @enum {unknown} */
                            status: "active" | "completed" | "expired";
                            tools: string[];
                            team_ids: string[];
                            created_at: string;
                            expires_at: string;
                            completed_at: string | null;
                            /** @description a policy document: what all layers said together at creation; evaluations merge anew */
                            merged_policy: {
                                [key: string]: unknown;
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Delete a transaction, in any status
         * @description Roles owner, admin, member; API key scope write. At most 30 a minute per caller.
         */
        delete: {
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
         * Say that a transaction is done; it must be active
         * @description Roles owner, admin, member; API key scope write. At most 30 a minute per caller.
         */
        post: {
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
                        "application/json": {
                            transaction_id: string;
                            agent_id: string;
                            description: string;
                            /** @enum {unknown} */
                            action_type: "financial_operation" | "financial_transaction" | "data_access" | "data_modification" | "content_generation" | "communication" | "code_execution" | "tool_invocation" | "task_delegation" | "autonomous_operation" | "multi_agent_coordination";
                            /** @enum {unknown} */
                            status: "active" | "completed" | "expired";
                            tools: string[];
                            team_ids: string[];
                            created_at: string;
                            expires_at: string;
                            completed_at: string | null;
                            /** @description a policy document: what all layers said together at creation; evaluations merge anew */
                            merged_policy: {
                                [key: string]: unknown;
                            };
                        };
                    };
                };
            };
        };
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
         * Ask whether an agent may call a tool now
         * @description Roles owner, admin, member; API key scope write. At most as many a second as the plan allows a caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        agent_id: string;
                        /** @description 1 to 256 characters without white space */
                        tool: string;
                        /** @description of the call, at most 32 KB; conditions may ask for them, nobody keeps them */
                        arguments?: {
                            [key: string]: unknown;
                        };
                        session_id?: string;
                        /** @description the transaction the call belongs to; also taken from X-Transaction-Id */
                        transaction_id?: string;
                        /** @description of an earlier decision about the same agent and tool */
                        escalation_id?: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            decision_id: string;
                            /**
                             * @description allow and warn: call the tool
                             * @enum {unknown}
                             */
                            decision: "allow" | "warn" | "escalate" | "block";
                            reasons: {
                                code: string;
                                /** @enum {unknown} */
                                source: "containment" | "integrity" | "transaction" | "policy" | "system";
                                tool: string;
                                message: string;
                                severity: ("low" | "medium" | "high" | "critical") | null;
                            }[];
                            verdict: ("pass" | "warn" | "fail") | null;
                            enforcement_mode: ("off" | "warn" | "enforce") | null;
                            /** @enum {unknown} */
                            agent_enforcement_mode: "observe" | "nudge" | "enforce";
                            policy_id: string | null;
                            policy_version: number | null;
                            transaction_id: string | null;
                            escalation_id: string | null;
                            notices: {
                                nudge_id: string;
                                agent_id: string;
                                session_id: string;
                                checkpoint_id: string;
                                message: string;
                                /**
                                 * @description told here, and not a second time
                                 * @enum {string}
                                 */
                                status: "delivered";
                                created_at: string;
                                delivered_at: string;
                            }[];
                            decided_at: string;
                            duration_ms: number;
                            /** @description proof of the decision, to be verified by the published keys alone */
                            receipt: {
                                statement: {
                                    /** @enum {string} */
                                    "@context": "urn:touchstone:decision-receipt:v1";
                                    decision_id: string;
                                    /** @enum {unknown} */
                                    decision: "allow" | "warn" | "escalate" | "block";
                                    agent_id: string;
                                    tool: string;
                                    arguments_hash: string | null;
                                    policy_id: string | null;
                                    policy_version: number | null;
                                    transaction_id: string | null;
                                    escalation_id: string | null;
                                    decided_at: string;
                                };
                                signature: {
                                    /** @enum {string} */
                                    algorithm: "Ed25519";
                                    /** @description one of GET /v1/keys */
                                    key_id: string;
                                    /** @description base64, over the canonical JSON of the statement */
                                    value: string;
                                };
                            };
                        };
                    };
                };
            };
        };
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
         * Calls that wait for a person, or waited, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    status?: "pending" | "approved" | "rejected" | "expired";
                    agent_id?: string;
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            escalations: {
                                escalation_id: string;
                                agent_id: string;
                                tool: string;
                                session_id: string | null;
                                transaction_id: string | null;
                                reason: string;
                                /** @enum {unknown} */
                                status: "pending" | "approved" | "rejected" | "expired";
                                created_at: string;
                                /** @description until when it can be resolved */
                                expires_at: string;
                                resolved_by: string | null;
                                resolved_at: string | null;
                                note: string | null;
                                used_at: string | null;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
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
         * One escalation
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: never;
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
                        "application/json": {
                            escalation_id: string;
                            agent_id: string;
                            tool: string;
                            session_id: string | null;
                            transaction_id: string | null;
                            reason: string;
                            /** @enum {unknown} */
                            status: "pending" | "approved" | "rejected" | "expired";
                            created_at: string;
                            /** @description until when it can be resolved */
                            expires_at: string;
                            resolved_by: string | null;
                            resolved_at: string | null;
                            note: string | null;
                            used_at: string | null;
                        };
                    };
                };
            };
        };
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
         * Approve or reject a pending escalation; an approval is good for one call
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        /** @enum {unknown} */
                        outcome: "approve" | "reject";
                        note?: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            escalation_id: string;
                            agent_id: string;
                            tool: string;
                            session_id: string | null;
                            transaction_id: string | null;
                            reason: string;
                            /** @enum {unknown} */
                            status: "pending" | "approved" | "rejected" | "expired";
                            created_at: string;
                            /** @description until when it can be resolved */
                            expires_at: string;
                            resolved_by: string | null;
                            resolved_at: string | null;
                            note: string | null;
                            used_at: string | null;
                        };
                    };
                };
            };
        };
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
         * Stop an active agent: the gateway refuses its calls until it is resumed
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        reason?: string | null;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent_id: string;
                            /** @enum {unknown} */
                            containment_status: "active" | "paused" | "killed";
                            contained_at: string | null;
                            contained_by: string | null;
                            containment_reason: string | null;
                        };
                    };
                };
            };
        };
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
         * Let a paused agent go on
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        reason?: string | null;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent_id: string;
                            /** @enum {unknown} */
                            containment_status: "active" | "paused" | "killed";
                            contained_at: string | null;
                            contained_by: string | null;
                            containment_reason: string | null;
                        };
                    };
                };
            };
        };
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
         * Stop an agent until an owner reactivates it
         * @description Roles owner; not with an API key. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        reason?: string | null;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent_id: string;
                            /** @enum {unknown} */
                            containment_status: "active" | "paused" | "killed";
                            contained_at: string | null;
                            contained_by: string | null;
                            containment_reason: string | null;
                        };
                    };
                };
            };
        };
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
         * Let a killed agent go on
         * @description Roles owner; not with an API key. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        reason?: string | null;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent_id: string;
                            /** @enum {unknown} */
                            containment_status: "active" | "paused" | "killed";
                            contained_at: string | null;
                            contained_by: string | null;
                            containment_reason: string | null;
                        };
                    };
                };
            };
        };
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
         * Whether an agent may act, and who stopped it or let it go on
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            agent_id: string;
                            /** @enum {unknown} */
                            status: "active" | "paused" | "killed";
                            contained_at: string | null;
                            contained_by: string | null;
                            containment_reason: string | null;
                            auto_containment_threshold: number | null;
                            /** @description the last 50, newest first */
                            log: {
                                id: string;
                                /** @enum {unknown} */
                                action: "pause" | "auto_pause" | "resume" | "kill" | "reactivate";
                                /** @description a user, a key, or system */
                                actor: string;
                                reason: string | null;
                                /** @enum {unknown} */
                                previous_status: "active" | "paused" | "killed";
                                /** @enum {unknown} */
                                new_status: "active" | "paused" | "killed";
                                created_at: string;
                                /** @description entry_hash of the one before; 64 zeros for the first */
                                prev_hash: string;
                                /** @description SHA-256 of prev_hash, a line feed and the RFC 8785 JSON of the entry without its hashes */
                                entry_hash: string;
                            }[];
                        };
                    };
                };
            };
        };
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
         * Set how many boundary violations in a row pause an agent
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        put: {
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
                    "application/json": {
                        auto_containment_threshold: number | null;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent_id: string;
                            auto_containment_threshold: number | null;
                        };
                    };
                };
            };
        };
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
         * Form a team of 2 to 50 agents of an organisation
         * @description Roles owner, admin; API key scope write. At most 60 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        org_id: string;
                        /** @description repeated ids count once */
                        agent_ids: string[];
                        /** @description 1 to 100 characters, after trimming */
                        name: string;
                        description?: string | null;
                        /** @description at most 16 KB */
                        metadata?: {
                            [key: string]: unknown;
                        };
                        /** @enum {unknown} */
                        visibility?: "public" | "unlisted" | "private";
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            team: {
                                id: string;
                                org_id: string;
                                name: string;
                                description: string | null;
                                /** @enum {unknown} */
                                status: "active" | "archived";
                                metadata: {
                                    [key: string]: unknown;
                                };
                                /** @enum {unknown} */
                                visibility: "public" | "unlisted" | "private";
                                member_count: number;
                                created_at: string;
                                updated_at: string;
                                archived_at: string | null;
                            };
                            members: {
                                team_id: string;
                                agent_id: string;
                                agent_name: string;
                                added_at: string;
                                removed_at: null;
                            }[];
                        };
                    };
                };
            };
        };
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
         * Teams of an organisation, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    status?: "active" | "archived";
                    page?: number;
                    /** @description default 50; more than 200 is lowered to 200 */
                    per_page?: number;
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
                        "application/json": {
                            teams: {
                                id: string;
                                org_id: string;
                                name: string;
                                description: string | null;
                                /** @enum {unknown} */
                                status: "active" | "archived";
                                metadata: {
                                    [key: string]: unknown;
                                };
                                /** @enum {unknown} */
                                visibility: "public" | "unlisted" | "private";
                                member_count: number;
                                created_at: string;
                                updated_at: string;
                                archived_at: string | null;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * A team and its members
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            team: {
                                id: string;
                                org_id: string;
                                name: string;
                                description: string | null;
                                /** @enum {unknown} */
                                status: "active" | "archived";
                                metadata: {
                                    [key: string]: unknown;
                                };
                                /** @enum {unknown} */
                                visibility: "public" | "unlisted" | "private";
                                member_count: number;
                                created_at: string;
                                updated_at: string;
                                archived_at: string | null;
                            };
                            members: {
                                team_id: string;
                                agent_id: string;
                                agent_name: string;
                                added_at: string;
                                removed_at: null;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Archive a team for good; it stays readable
         * @description Roles owner, admin; API key scope write. At most 60 a minute per caller.
         */
        delete: {
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
                        "application/json": {
                            /** @enum {boolean} */
                            archived: true;
                            team_id: string;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Change name, description, metadata or visibility of a team
         * @description Roles owner, admin; API key scope write. At most 60 a minute per caller.
         */
        patch: {
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
                    "application/json": {
                        /** @description 1 to 100 characters, after trimming */
                        name?: string;
                        description?: string | null;
                        /** @description at most 16 KB */
                        metadata?: {
                            [key: string]: unknown;
                        };
                        /** @enum {unknown} */
                        visibility?: "public" | "unlisted" | "private";
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            org_id: string;
                            name: string;
                            description: string | null;
                            /** @enum {unknown} */
                            status: "active" | "archived";
                            metadata: {
                                [key: string]: unknown;
                            };
                            /** @enum {unknown} */
                            visibility: "public" | "unlisted" | "private";
                            member_count: number;
                            created_at: string;
                            updated_at: string;
                            archived_at: string | null;
                        };
                    };
                };
            };
        };
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
         * Add agents to a team, all of them or none
         * @description Roles owner, admin; API key scope write. At most 60 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        /** @description repeated ids count once */
                        agent_ids: string[];
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            added: string[];
                            already_members: string[];
                            members: {
                                team_id: string;
                                agent_id: string;
                                agent_name: string;
                                added_at: string;
                                removed_at: null;
                            }[];
                        };
                    };
                };
            };
        };
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
         * Take an agent out of a team; two stay at least
         * @description Roles owner, admin; API key scope write. At most 60 a minute per caller.
         */
        delete: {
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
                        "application/json": {
                            /** @enum {boolean} */
                            removed: true;
                            agent_id: string;
                        };
                    };
                };
            };
        };
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
         * Who joined and left a team, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    page?: number;
                    /** @description default 50; more than 200 is lowered to 200 */
                    per_page?: number;
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
                        "application/json": {
                            changes: {
                                id: string;
                                team_id: string;
                                /** @enum {unknown} */
                                change_type: "agent_added" | "agent_removed";
                                agent_id: string | null;
                                actor_id: string | null;
                                created_at: string;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
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
         * The active card of a team; null when it has none
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            card_id: string;
                            team_id: string;
                            version: number;
                            /** @description An alignment card, with what a team adds to it */
                            card_json: {
                                [key: string]: unknown;
                            };
                            /** @enum {unknown} */
                            card_source: "manual" | "auto_derived" | "hybrid";
                            issued_at: string;
                            is_active: boolean;
                        } | null;
                    };
                };
            };
        };
        /**
         * Set the card of a team; If-Match is honoured
         * @description Roles owner, admin; API key scope write. At most 60 a minute per caller.
         */
        put: {
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
                    "application/json": {
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
                        /** @enum {unknown} */
                        coordination_mode?: "collaborative" | "hierarchical" | "autonomous";
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
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            card_id: string;
                            team_id: string;
                            version: number;
                            /** @enum {unknown} */
                            card_source: "manual" | "auto_derived" | "hybrid";
                            issued_at: string;
                        };
                    };
                };
            };
        };
        post?: never;
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
         * Versions of the card of a team, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    page?: number;
                    /** @description default 50; more than 200 is lowered to 200 */
                    per_page?: number;
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
                        "application/json": {
                            cards: {
                                card_id: string;
                                version: number;
                                /** @enum {unknown} */
                                card_source: "manual" | "auto_derived" | "hybrid";
                                issued_at: string;
                                is_active: boolean;
                                actor_id: string;
                                /** @description An alignment card, with what a team adds to it */
                                card_json?: {
                                    [key: string]: unknown;
                                };
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
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
         * @description Roles owner, admin; API key scope write. At most 60 a minute per caller.
         */
        post: {
            parameters: {
                query?: {
                    /** @description true saves nothing */
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
                        "application/json": {
                            /** @description An alignment card, with what a team adds to it */
                            derived_card: {
                                [key: string]: unknown;
                            };
                            /** @enum {string} */
                            card_source: "auto_derived";
                            member_count: number;
                            members_with_cards: number;
                            version: number | null;
                            changed: boolean;
                            dropped_conflicts: string[];
                        };
                    };
                };
            };
        };
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
         * The score of a team, its grade and its five components
         * @description No credential needed. At most 100 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            team_id: string;
                            team_name: string;
                            /** @enum {unknown} */
                            status: "active" | "archived";
                            score: number | null;
                            /** @enum {unknown} */
                            grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                            tier: string;
                            /** @enum {unknown} */
                            confidence: "insufficient" | "low" | "medium" | "high";
                            is_eligible: boolean;
                            components: {
                                /** @enum {unknown} */
                                key: "coherence_history" | "member_quality" | "operational_record" | "structural_stability" | "assessment_density";
                                label: string;
                                score: number;
                                weight: number;
                                weighted_score: number;
                                factors: string[];
                            }[];
                            total_assessments: number;
                            last_assessed: string | null;
                            trend_30d: number;
                            /** @enum {unknown} */
                            visibility: "public" | "unlisted" | "private";
                            member_count: number;
                            computed_at: string;
                            a2a_trust_extension: {
                                provider: string;
                                score: number;
                                /** @enum {unknown} */
                                grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                                verified_url: string;
                                badge_url: string;
                                verify_url: string;
                                extension_uri: string;
                                confidence: string;
                                methodology_url: string;
                                last_updated: string;
                                member_count: number;
                            } | null;
                        };
                    };
                };
            };
        };
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
         * Weekly scores of a team, latest week first
         * @description No credential needed. At most 100 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            snapshots: {
                                team_id: string;
                                week_start: string;
                                score: number;
                                /** @enum {unknown} */
                                grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                                components: {
                                    [key: string]: number;
                                };
                                total_assessments: number;
                                created_at: string;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Whether the score of a team is borne out by what it was computed from
         * @description No credential needed. At most 100 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            team_id: string;
                            score: number | null;
                            /** @enum {unknown} */
                            grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                            verified: boolean;
                            verification: {
                                proof_hash: string;
                                assessment_chain_head: string;
                                hash_chain_valid: boolean;
                                total_assessments: number;
                                latest_assessment_id: string | null;
                                latest_assessment_at: string | null;
                                member_score_hashes: string[];
                                proof_generated_at: string;
                            } | null;
                            computed_at: string;
                        };
                    };
                };
            };
        };
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
         * Compute the score of a team now; counts as a use of the plan
         * @description Roles owner, admin; API key scope write. At most 10 a minute per caller.
         */
        post: {
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
                        "application/json": {
                            team_id: string;
                            team_name: string;
                            /** @enum {unknown} */
                            status: "active" | "archived";
                            score: number | null;
                            /** @enum {unknown} */
                            grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                            tier: string;
                            /** @enum {unknown} */
                            confidence: "insufficient" | "low" | "medium" | "high";
                            is_eligible: boolean;
                            components: {
                                /** @enum {unknown} */
                                key: "coherence_history" | "member_quality" | "operational_record" | "structural_stability" | "assessment_density";
                                label: string;
                                score: number;
                                weight: number;
                                weighted_score: number;
                                factors: string[];
                            }[];
                            total_assessments: number;
                            last_assessed: string | null;
                            trend_30d: number;
                            /** @enum {unknown} */
                            visibility: "public" | "unlisted" | "private";
                            member_count: number;
                            computed_at: string;
                            a2a_trust_extension: {
                                provider: string;
                                score: number;
                                /** @enum {unknown} */
                                grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC" | "NR";
                                verified_url: string;
                                badge_url: string;
                                verify_url: string;
                                extension_uri: string;
                                confidence: string;
                                methodology_url: string;
                                last_updated: string;
                                member_count: number;
                            } | null;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * A badge with the score of a team, as SVG
         * @description No credential needed. At most 300 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    variant?: "score" | "score_tier" | "score_trend" | "compact";
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
         * How far the values of two agents go together; each your own or public
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        agent_a: string;
                        agent_b: string;
                        required_values?: string[];
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
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
                    };
                };
            };
        };
        delete?: never;
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
         * How well the agents of an organisation go together; at most 5 minutes old
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    /** @description separated by commas, 2 to 200 of them */
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
                        "application/json": {
                            org_id: string;
                            computed_at: string;
                            cached: boolean;
                            agent_count: number;
                            pair_count: number;
                            agents_without_card: string[];
                            fleet_score: number;
                            min_pair_score: number;
                            max_pair_score: number;
                            pairwise_matrix?: {
                                agent_a: string;
                                agent_b: string;
                                score: number;
                                compatible: boolean;
                                matched: number;
                                conflicts: number;
                            }[];
                            agent_summaries: {
                                agent_id: string;
                                mean_score: number;
                                compatible_count: number;
                                conflict_count: number;
                                cluster_id: number;
                                is_outlier: boolean;
                            }[];
                            outliers: {
                                agent_id: string;
                                agent_mean_score: number;
                                fleet_mean_score: number;
                                deviation: number;
                                primary_conflicts: string[];
                            }[];
                            clusters: {
                                cluster_id: number;
                                agent_ids: string[];
                                internal_coherence: number;
                                shared_values: string[];
                                distinguishing_values: string[];
                            }[];
                            /** @description the first 100, the largest impact first */
                            divergence_report: {
                                value: string;
                                agents_declaring: string[];
                                agents_missing: string[];
                                agents_conflicting: string[];
                                impact_on_fleet_score: number;
                            }[];
                            /** @description of all */
                            divergence_count: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Find where the values of a team’s members part
         * @description Roles owner, admin, member; API key scope write. At most 10 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        team_id: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            team_id: string;
                            analysis_id: string;
                            fleet_score: number;
                            /** @description The gravest first */
                            fault_lines: {
                                id: string;
                                value: string;
                                /** @enum {unknown} */
                                classification: "resolvable" | "priority_mismatch" | "incompatible";
                                /** @enum {unknown} */
                                severity: "low" | "medium" | "high" | "critical";
                                agents_declaring: string[];
                                agents_missing: string[];
                                agents_conflicting: string[];
                                impact_score: number;
                                resolution_hint: string;
                                affects_capabilities: string[];
                            }[];
                            summary: {
                                total: number;
                                resolvable: number;
                                priority_mismatch: number;
                                incompatible: number;
                                critical_count: number;
                            };
                            agents_without_card: string[];
                            created_at: string;
                            /** @description Who said it; what the rules said is never called a model’s */
                            produced_by: {
                                /** @enum {unknown} */
                                kind: "algorithm" | "model" | "rules";
                                name: string;
                                version: string;
                            };
                            /**
                             * @description Why the rules answered though a model was asked
                             * @enum {unknown}
                             */
                            fallback_reason?: "timeout" | "http_error" | "invalid_output" | "invalid_policy";
                        };
                    };
                };
            };
        };
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
         * Forecast how a team can fail; by the model if there is one, else by rules
         * @description Roles owner, admin, member; API key scope write. At most 10 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        team_id: string;
                        fault_line_analysis_id: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            forecast_id: string;
                            fault_line_analysis_id: string;
                            failure_modes: {
                                /** @enum {unknown} */
                                mode: "value_override" | "escalation_conflict" | "coordination_deadlock" | "capability_gap" | "trust_erosion";
                                description: string;
                                probability: number;
                                /** @enum {unknown} */
                                severity: "low" | "medium" | "high" | "critical";
                                triggered_by: string[];
                                affected_agents: string[];
                                mitigation_available: boolean;
                            }[];
                            /** @enum {unknown} */
                            overall_risk_level: "low" | "medium" | "high" | "critical";
                            confidence: number;
                            created_at: string;
                            /** @description Who said it; what the rules said is never called a model’s */
                            produced_by: {
                                /** @enum {unknown} */
                                kind: "algorithm" | "model" | "rules";
                                name: string;
                                version: string;
                            };
                            /**
                             * @description Why the rules answered though a model was asked
                             * @enum {unknown}
                             */
                            fallback_reason?: "timeout" | "http_error" | "invalid_output" | "invalid_policy";
                        };
                    };
                };
            };
        };
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
         * Recommend a policy for a team, from its latest fault lines; applies nothing
         * @description Roles owner, admin, member; API key scope write. At most 10 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        team_id: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            recommendation_id: string;
                            /** @description a policy document of scope team; nothing holds until it is stored */
                            policy: {
                                [key: string]: unknown;
                            };
                            reasoning_chain: {
                                step: number;
                                action: string;
                                rationale: string;
                                fault_lines_addressed: string[];
                            }[];
                            confidence: number;
                            forecast_summary: {
                                risk_reduction: string;
                                fault_lines_resolved: number;
                            };
                            validation: {
                                valid: boolean;
                                errors: string[];
                            };
                            created_at: string;
                            /** @description Who said it; what the rules said is never called a model’s */
                            produced_by: {
                                /** @enum {unknown} */
                                kind: "algorithm" | "model" | "rules";
                                name: string;
                                version: string;
                            };
                            /**
                             * @description Why the rules answered though a model was asked
                             * @enum {unknown}
                             */
                            fallback_reason?: "timeout" | "http_error" | "invalid_output" | "invalid_policy";
                        };
                    };
                };
            };
        };
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
         * Fault lines, forecasts and recommendations of a team, newest first; kept a year
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    type?: "fault_lines" | "forecast" | "recommendation";
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            items: {
                                id: string;
                                /** @enum {unknown} */
                                type: "fault_lines" | "forecast" | "recommendation";
                                created_at: string;
                                /** @description Who said it; what the rules said is never called a model’s */
                                produced_by: {
                                    /** @enum {unknown} */
                                    kind: "algorithm" | "model" | "rules";
                                    name: string;
                                    version: string;
                                };
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
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
         * One of them, as it was given
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            team_id: string;
                            analysis_id: string;
                            fleet_score: number;
                            /** @description The gravest first */
                            fault_lines: {
                                id: string;
                                value: string;
                                /** @enum {unknown} */
                                classification: "resolvable" | "priority_mismatch" | "incompatible";
                                /** @enum {unknown} */
                                severity: "low" | "medium" | "high" | "critical";
                                agents_declaring: string[];
                                agents_missing: string[];
                                agents_conflicting: string[];
                                impact_score: number;
                                resolution_hint: string;
                                affects_capabilities: string[];
                            }[];
                            summary: {
                                total: number;
                                resolvable: number;
                                priority_mismatch: number;
                                incompatible: number;
                                critical_count: number;
                            };
                            agents_without_card: string[];
                            created_at: string;
                            /** @description Who said it; what the rules said is never called a model’s */
                            produced_by: {
                                /** @enum {unknown} */
                                kind: "algorithm" | "model" | "rules";
                                name: string;
                                version: string;
                            };
                            /**
                             * @description Why the rules answered though a model was asked
                             * @enum {unknown}
                             */
                            fallback_reason?: "timeout" | "http_error" | "invalid_output" | "invalid_policy";
                        } | {
                            forecast_id: string;
                            fault_line_analysis_id: string;
                            failure_modes: {
                                /** @enum {unknown} */
                                mode: "value_override" | "escalation_conflict" | "coordination_deadlock" | "capability_gap" | "trust_erosion";
                                description: string;
                                probability: number;
                                /** @enum {unknown} */
                                severity: "low" | "medium" | "high" | "critical";
                                triggered_by: string[];
                                affected_agents: string[];
                                mitigation_available: boolean;
                            }[];
                            /** @enum {unknown} */
                            overall_risk_level: "low" | "medium" | "high" | "critical";
                            confidence: number;
                            created_at: string;
                            /** @description Who said it; what the rules said is never called a model’s */
                            produced_by: {
                                /** @enum {unknown} */
                                kind: "algorithm" | "model" | "rules";
                                name: string;
                                version: string;
                            };
                            /**
                             * @description Why the rules answered though a model was asked
                             * @enum {unknown}
                             */
                            fallback_reason?: "timeout" | "http_error" | "invalid_output" | "invalid_policy";
                        } | {
                            recommendation_id: string;
                            /** @description a policy document of scope team; nothing holds until it is stored */
                            policy: {
                                [key: string]: unknown;
                            };
                            reasoning_chain: {
                                step: number;
                                action: string;
                                rationale: string;
                                fault_lines_addressed: string[];
                            }[];
                            confidence: number;
                            forecast_summary: {
                                risk_reduction: string;
                                fault_lines_resolved: number;
                            };
                            validation: {
                                valid: boolean;
                                errors: string[];
                            };
                            created_at: string;
                            /** @description Who said it; what the rules said is never called a model’s */
                            produced_by: {
                                /** @enum {unknown} */
                                kind: "algorithm" | "model" | "rules";
                                name: string;
                                version: string;
                            };
                            /**
                             * @description Why the rules answered though a model was asked
                             * @enum {unknown}
                             */
                            fallback_reason?: "timeout" | "http_error" | "invalid_output" | "invalid_policy";
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Violations of an agent, what became of them, and its scores, as a file
         * @description Roles owner, admin, auditor; API key scope read. At most 10 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    format?: "json" | "ndjson" | "csv";
                    /** @description what happened then or later; weeks by their start */
                    from?: string;
                    /** @description what happened then or earlier */
                    to?: string;
                    /** @description of csv, which has one kind of row; violations by default */
                    section?: "violations" | "reclassifications" | "card_amendments" | "score_history";
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
                        "application/json": {
                            agent_id: string;
                            export_date: string;
                            violations: {
                                checkpoint_id: string;
                                session_id: string;
                                trace_id: string | null;
                                verdict: string;
                                type: string;
                                severity: string | null;
                                description: string | null;
                                card_id: string;
                                detected_at: string;
                                reclassified_as: ("card_gap" | "behavior_gap") | null;
                                reclassification_id: string | null;
                                counts_against_score: boolean;
                                certificate_hash: string | null;
                                policy: {
                                    verdict: string;
                                    violations: number;
                                    warnings: number;
                                } | null;
                                comment_count: number;
                                /** @description the last 20, oldest first */
                                comments: {
                                    id: string;
                                    checkpoint_id: string;
                                    author: string;
                                    text: string;
                                    created_at: string;
                                    /** @description entry_hash of the entry before it of this agent */
                                    prev_hash: string;
                                    /** @description SHA-256, in hex, of prev_hash, a line feed, and the entry without both hashes as RFC 8785 JSON */
                                    entry_hash: string;
                                }[];
                            }[];
                            reclassifications: {
                                agent_id: string;
                                reclassification_id: string;
                                checkpoint_id: string;
                                original_type: string;
                                /** @enum {unknown} */
                                new_type: "card_gap" | "behavior_gap";
                                reason: string;
                                card_amendment_id: string | null;
                                approved_by: string;
                                created_at: string;
                                score_impact: {
                                    score_before: number | null;
                                    score_after: number | null;
                                    recomputation_pending: boolean;
                                };
                            }[];
                            card_amendments: {
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
                            }[];
                            score_history: {
                                week_start: string;
                                score: number;
                                grade: string;
                                checkpoint_count: number;
                                components: {
                                    [key: string]: number | null;
                                };
                            }[];
                            integrity_chain_valid: boolean;
                        };
                        "application/x-ndjson": string;
                        "text/csv": string;
                    };
                };
            };
        };
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
         * Violations of an agent with what became of them, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    status?: "open" | "reclassified" | "all";
                    verdict?: "boundary_violation" | "review_needed";
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            violations: {
                                checkpoint_id: string;
                                session_id: string;
                                trace_id: string | null;
                                verdict: string;
                                type: string;
                                severity: string | null;
                                description: string | null;
                                card_id: string;
                                detected_at: string;
                                reclassified_as: ("card_gap" | "behavior_gap") | null;
                                reclassification_id: string | null;
                                counts_against_score: boolean;
                                certificate_hash: string | null;
                                policy: {
                                    verdict: string;
                                    violations: number;
                                    warnings: number;
                                } | null;
                                comment_count: number;
                                /** @description the last 20, oldest first */
                                comments: {
                                    id: string;
                                    checkpoint_id: string;
                                    author: string;
                                    text: string;
                                    created_at: string;
                                    /** @description entry_hash of the entry before it of this agent */
                                    prev_hash: string;
                                    /** @description SHA-256, in hex, of prev_hash, a line feed, and the entry without both hashes as RFC 8785 JSON */
                                    entry_hash: string;
                                }[];
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
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
         * Say what a violation was: a gap of the card, or misbehaviour; there is no undo
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        checkpoint_id: string;
                        reason: string;
                        card_amendment_id?: string | null;
                        /**
                         * @description without it: card_gap with an amendment, behavior_gap for what no gap of a card explains, else card_gap
                         * @enum {unknown}
                         */
                        new_type?: "card_gap" | "behavior_gap";
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent_id: string;
                            reclassification_id: string;
                            checkpoint_id: string;
                            original_type: string;
                            /** @enum {unknown} */
                            new_type: "card_gap" | "behavior_gap";
                            reason: string;
                            card_amendment_id: string | null;
                            approved_by: string;
                            created_at: string;
                            score_impact: {
                                score_before: number | null;
                                score_after: number | null;
                                recomputation_pending: boolean;
                            };
                        };
                    };
                };
            };
        };
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
         * Reclassifications of an agent, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            reclassifications: {
                                reclassification_id: string;
                                checkpoint_id: string;
                                original_type: string;
                                /** @enum {unknown} */
                                new_type: "card_gap" | "behavior_gap";
                                reason: string;
                                card_amendment_id: string | null;
                                approved_by: string;
                                created_at: string;
                                score_impact: {
                                    score_before: number | null;
                                    score_after: number | null;
                                    recomputation_pending: boolean;
                                };
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * Changes of an agent's card, field by field, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            card_amendments: {
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
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
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
         * What was said about a violation, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            comments: {
                                id: string;
                                checkpoint_id: string;
                                author: string;
                                text: string;
                                created_at: string;
                                /** @description entry_hash of the entry before it of this agent */
                                prev_hash: string;
                                /** @description SHA-256, in hex, of prev_hash, a line feed, and the entry without both hashes as RFC 8785 JSON */
                                entry_hash: string;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Say something about a violation; it stays, linked to all that was said before
         * @description Roles owner, admin, auditor, member; API key scope write. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        text: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            checkpoint_id: string;
                            author: string;
                            text: string;
                            created_at: string;
                            /** @description entry_hash of the entry before it of this agent */
                            prev_hash: string;
                            /** @description SHA-256, in hex, of prev_hash, a line feed, and the entry without both hashes as RFC 8785 JSON */
                            entry_hash: string;
                        };
                    };
                };
            };
        };
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
         * Whom an agent trusts, or who trusts it, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    /** @description out: whom the agent trusts; in: who trusts it */
                    direction?: "out" | "in" | "both";
                    page?: number;
                    /** @description default 200; more is lowered to it */
                    per_page?: number;
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
                        "application/json": {
                            trust_edges: {
                                id: string;
                                source_agent_id: string;
                                target_agent_id: string;
                                /** @enum {unknown} */
                                trust_level: "high" | "medium" | "low";
                                reason: string | null;
                                created_at: string;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Declare that an agent trusts another, which may be of another organisation
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        target_agent_id: string;
                        /**
                         * @default medium
                         * @enum {unknown}
                         */
                        trust_level?: "high" | "medium" | "low";
                        reason?: string | null;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            source_agent_id: string;
                            target_agent_id: string;
                            /** @enum {unknown} */
                            trust_level: "high" | "medium" | "low";
                            reason: string | null;
                            created_at: string;
                        };
                    };
                };
            };
        };
        /**
         * Take back a declaration of trust, named by whom it is in
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        delete: {
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
         * Take back a declaration of trust
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        delete: {
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
         * How risky it is to let an agent do something; each call is a new assessment
         * @description Roles owner, admin, member; API key scope write. At most 60 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        agent_id: string;
                        context: {
                            /** @enum {unknown} */
                            action_type: "financial_transaction" | "data_access" | "task_delegation" | "tool_invocation" | "autonomous_operation" | "multi_agent_coordination";
                            /**
                             * @default moderate
                             * @enum {unknown}
                             */
                            risk_tolerance?: "conservative" | "moderate" | "aggressive";
                            /** @description at most two decimals */
                            amount?: number;
                            /** @description not agent_id */
                            counterparty_id?: string;
                            /** @description never scored */
                            use_case?: string;
                        };
                        /**
                         * @description ask for a proof, where there is a prover
                         * @default true
                         */
                        prove?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            assessment_id: string | null;
                            agent_id: string;
                            risk_score: number;
                            /** @enum {unknown} */
                            risk_level: "low" | "medium" | "high" | "critical";
                            /** @enum {unknown} */
                            recommendation: "approve" | "review" | "deny";
                            confidence: number;
                            contributing_factors: {
                                /** @enum {unknown} */
                                component: "integrity_ratio" | "compliance" | "drift_stability" | "trace_completeness" | "coherence_compatibility";
                                label: string;
                                weight: number;
                                /** @description the score, drawn towards 500 by a short history */
                                raw_value: number;
                                risk_contribution: number;
                                explanation: string;
                            }[];
                            suggested_thresholds: {
                                low: number;
                                medium: number;
                                high: number;
                                critical: number;
                            };
                            breakdown: {
                                context: number;
                                recency: number;
                                confidence_penalty: number;
                                base: number;
                                amount_surcharge: number;
                                counterparty_surcharge: number;
                            };
                            circuit_breakers: ("agent_contained" | "reputation_floor" | "recent_critical_violation" | "insufficient_history" | "autonomy_limit" | "counterparty_contained" | "counterparty_conflict")[];
                            context: {
                                /** @enum {unknown} */
                                action_type: "financial_transaction" | "data_access" | "task_delegation" | "tool_invocation" | "autonomous_operation" | "multi_agent_coordination";
                                /** @enum {unknown} */
                                risk_tolerance: "conservative" | "moderate" | "aggressive";
                                amount?: number;
                                counterparty_id?: string;
                                use_case?: string;
                            };
                            explanation: string;
                            /** @enum {string} */
                            formula: "risk-v1";
                            inputs_commitment: string | null;
                            proof_id: string | null;
                            /** @enum {unknown} */
                            proof_status: "none" | "pending" | "proving" | "verified" | "failed";
                            created_at: string;
                        };
                    };
                };
            };
        };
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
         * How risky it is to let 2 to 50 agents do something together
         * @description Roles owner, admin, member; API key scope write. At most 20 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description who precedes and who leads, by their order; the roster without, by team_id */
                        agent_ids?: string[];
                        /** @description an active team of yours */
                        team_id?: string;
                        context: {
                            /** @enum {unknown} */
                            action_type: "financial_transaction" | "data_access" | "task_delegation" | "tool_invocation" | "autonomous_operation" | "multi_agent_coordination";
                            /**
                             * @default moderate
                             * @enum {unknown}
                             */
                            risk_tolerance?: "conservative" | "moderate" | "aggressive";
                            /** @description never scored */
                            team_task?: string;
                            /** @enum {unknown} */
                            coordination_mode?: "parallel" | "sequential" | "hierarchical" | "consensus";
                        };
                        /**
                         * @description ask for a proof, where there is a prover
                         * @default true
                         */
                        prove?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            assessment_id: string;
                            team_id: string | null;
                            agent_ids: string[];
                            team_risk_score: number;
                            /** @enum {unknown} */
                            team_risk_level: "low" | "medium" | "high" | "critical";
                            team_coherence_score: number;
                            /** @enum {unknown} */
                            team_recommendation: "approve_team" | "review" | "approve_individuals_only" | "deny";
                            portfolio_risk: number;
                            coherence_risk: number;
                            structural_risk: number;
                            concentration_risk: number;
                            weakest_link_risk: number;
                            circuit_breakers: ("member_contained" | "member_reputation_floor" | "boundary_incompatible")[];
                            shapley_values: {
                                [key: string]: number;
                            };
                            risk_attribution: {
                                [key: string]: number;
                            };
                            shapley_method: {
                                /** @enum {unknown} */
                                method: "exact" | "sampled";
                                permutations: number;
                                /** @description the largest, in the unit of the values */
                                std_error: number;
                            };
                            outliers: {
                                agent_id: string;
                                individual_risk_score: number;
                                shapley_value: number;
                                systemic_contribution: number;
                                primary_risk_factors: string[];
                            }[];
                            clusters: {
                                cluster_id: string;
                                agent_ids: string[];
                                internal_risk: number;
                                shared_risk_factors: ("integrity_ratio" | "compliance" | "drift_stability" | "trace_completeness" | "coherence_compatibility" | "correlated_violations")[];
                            }[];
                            /** @description the first 100, the largest impact first */
                            value_divergences: {
                                value: string;
                                declaring_agents: string[];
                                missing_agents: string[];
                                conflicting_agents: string[];
                                risk_impact: number;
                            }[];
                            /** @description of all */
                            value_divergence_count: number;
                            /** @enum {unknown} */
                            synergy_type: "synergistic" | "neutral" | "anti-synergistic";
                            individual_assessments: {
                                assessment_id: string | null;
                                agent_id: string;
                                risk_score: number;
                                /** @enum {unknown} */
                                risk_level: "low" | "medium" | "high" | "critical";
                                /** @enum {unknown} */
                                recommendation: "approve" | "review" | "deny";
                                confidence: number;
                                contributing_factors: {
                                    /** @enum {unknown} */
                                    component: "integrity_ratio" | "compliance" | "drift_stability" | "trace_completeness" | "coherence_compatibility";
                                    label: string;
                                    weight: number;
                                    /** @description the score, drawn towards 500 by a short history */
                                    raw_value: number;
                                    risk_contribution: number;
                                    explanation: string;
                                }[];
                                suggested_thresholds: {
                                    low: number;
                                    medium: number;
                                    high: number;
                                    critical: number;
                                };
                                breakdown: {
                                    context: number;
                                    recency: number;
                                    confidence_penalty: number;
                                    base: number;
                                    amount_surcharge: number;
                                    counterparty_surcharge: number;
                                };
                                circuit_breakers: ("agent_contained" | "reputation_floor" | "recent_critical_violation" | "insufficient_history" | "autonomy_limit" | "counterparty_contained" | "counterparty_conflict")[];
                                context: {
                                    /** @enum {unknown} */
                                    action_type: "financial_transaction" | "data_access" | "task_delegation" | "tool_invocation" | "autonomous_operation" | "multi_agent_coordination";
                                    /** @enum {unknown} */
                                    risk_tolerance: "conservative" | "moderate" | "aggressive";
                                    amount?: number;
                                    counterparty_id?: string;
                                    use_case?: string;
                                };
                                explanation: string;
                                /** @enum {string} */
                                formula: "risk-v1";
                                inputs_commitment: string | null;
                                proof_id: string | null;
                                /** @enum {unknown} */
                                proof_status: "none" | "pending" | "proving" | "verified" | "failed";
                                created_at: string;
                            }[];
                            context: {
                                /** @enum {unknown} */
                                action_type: "financial_transaction" | "data_access" | "task_delegation" | "tool_invocation" | "autonomous_operation" | "multi_agent_coordination";
                                /** @enum {unknown} */
                                risk_tolerance: "conservative" | "moderate" | "aggressive";
                                team_task?: string;
                                /** @enum {unknown} */
                                coordination_mode?: "parallel" | "sequential" | "hierarchical" | "consensus";
                            };
                            explanation: string;
                            /** @enum {string} */
                            formula: "team-risk-v1";
                            inputs_commitment: string;
                            proof_id: string | null;
                            /** @enum {unknown} */
                            proof_status: "none" | "pending" | "proving" | "verified" | "failed";
                            created_at: string;
                        };
                    };
                };
            };
        };
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
         * An assessment that your organisation asked for
         * @description Roles owner, admin, auditor, member; API key scope read. At most 100 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            assessment_id: string | null;
                            agent_id: string;
                            risk_score: number;
                            /** @enum {unknown} */
                            risk_level: "low" | "medium" | "high" | "critical";
                            /** @enum {unknown} */
                            recommendation: "approve" | "review" | "deny";
                            confidence: number;
                            contributing_factors: {
                                /** @enum {unknown} */
                                component: "integrity_ratio" | "compliance" | "drift_stability" | "trace_completeness" | "coherence_compatibility";
                                label: string;
                                weight: number;
                                /** @description the score, drawn towards 500 by a short history */
                                raw_value: number;
                                risk_contribution: number;
                                explanation: string;
                            }[];
                            suggested_thresholds: {
                                low: number;
                                medium: number;
                                high: number;
                                critical: number;
                            };
                            breakdown: {
                                context: number;
                                recency: number;
                                confidence_penalty: number;
                                base: number;
                                amount_surcharge: number;
                                counterparty_surcharge: number;
                            };
                            circuit_breakers: ("agent_contained" | "reputation_floor" | "recent_critical_violation" | "insufficient_history" | "autonomy_limit" | "counterparty_contained" | "counterparty_conflict")[];
                            context: {
                                /** @enum {unknown} */
                                action_type: "financial_transaction" | "data_access" | "task_delegation" | "tool_invocation" | "autonomous_operation" | "multi_agent_coordination";
                                /** @enum {unknown} */
                                risk_tolerance: "conservative" | "moderate" | "aggressive";
                                amount?: number;
                                counterparty_id?: string;
                                use_case?: string;
                            };
                            explanation: string;
                            /** @enum {string} */
                            formula: "risk-v1";
                            inputs_commitment: string | null;
                            proof_id: string | null;
                            /** @enum {unknown} */
                            proof_status: "none" | "pending" | "proving" | "verified" | "failed";
                            created_at: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * An assessment of a team that your organisation asked for
         * @description Roles owner, admin, auditor, member; API key scope read. At most 100 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            assessment_id: string;
                            team_id: string | null;
                            agent_ids: string[];
                            team_risk_score: number;
                            /** @enum {unknown} */
                            team_risk_level: "low" | "medium" | "high" | "critical";
                            team_coherence_score: number;
                            /** @enum {unknown} */
                            team_recommendation: "approve_team" | "review" | "approve_individuals_only" | "deny";
                            portfolio_risk: number;
                            coherence_risk: number;
                            structural_risk: number;
                            concentration_risk: number;
                            weakest_link_risk: number;
                            circuit_breakers: ("member_contained" | "member_reputation_floor" | "boundary_incompatible")[];
                            shapley_values: {
                                [key: string]: number;
                            };
                            risk_attribution: {
                                [key: string]: number;
                            };
                            shapley_method: {
                                /** @enum {unknown} */
                                method: "exact" | "sampled";
                                permutations: number;
                                /** @description the largest, in the unit of the values */
                                std_error: number;
                            };
                            outliers: {
                                agent_id: string;
                                individual_risk_score: number;
                                shapley_value: number;
                                systemic_contribution: number;
                                primary_risk_factors: string[];
                            }[];
                            clusters: {
                                cluster_id: string;
                                agent_ids: string[];
                                internal_risk: number;
                                shared_risk_factors: ("integrity_ratio" | "compliance" | "drift_stability" | "trace_completeness" | "coherence_compatibility" | "correlated_violations")[];
                            }[];
                            /** @description the first 100, the largest impact first */
                            value_divergences: {
                                value: string;
                                declaring_agents: string[];
                                missing_agents: string[];
                                conflicting_agents: string[];
                                risk_impact: number;
                            }[];
                            /** @description of all */
                            value_divergence_count: number;
                            /** @enum {unknown} */
                            synergy_type: "synergistic" | "neutral" | "anti-synergistic";
                            individual_assessments: {
                                assessment_id: string | null;
                                agent_id: string;
                                risk_score: number;
                                /** @enum {unknown} */
                                risk_level: "low" | "medium" | "high" | "critical";
                                /** @enum {unknown} */
                                recommendation: "approve" | "review" | "deny";
                                confidence: number;
                                contributing_factors: {
                                    /** @enum {unknown} */
                                    component: "integrity_ratio" | "compliance" | "drift_stability" | "trace_completeness" | "coherence_compatibility";
                                    label: string;
                                    weight: number;
                                    /** @description the score, drawn towards 500 by a short history */
                                    raw_value: number;
                                    risk_contribution: number;
                                    explanation: string;
                                }[];
                                suggested_thresholds: {
                                    low: number;
                                    medium: number;
                                    high: number;
                                    critical: number;
                                };
                                breakdown: {
                                    context: number;
                                    recency: number;
                                    confidence_penalty: number;
                                    base: number;
                                    amount_surcharge: number;
                                    counterparty_surcharge: number;
                                };
                                circuit_breakers: ("agent_contained" | "reputation_floor" | "recent_critical_violation" | "insufficient_history" | "autonomy_limit" | "counterparty_contained" | "counterparty_conflict")[];
                                context: {
                                    /** @enum {unknown} */
                                    action_type: "financial_transaction" | "data_access" | "task_delegation" | "tool_invocation" | "autonomous_operation" | "multi_agent_coordination";
                                    /** @enum {unknown} */
                                    risk_tolerance: "conservative" | "moderate" | "aggressive";
                                    amount?: number;
                                    counterparty_id?: string;
                                    use_case?: string;
                                };
                                explanation: string;
                                /** @enum {string} */
                                formula: "risk-v1";
                                inputs_commitment: string | null;
                                proof_id: string | null;
                                /** @enum {unknown} */
                                proof_status: "none" | "pending" | "proving" | "verified" | "failed";
                                created_at: string;
                            }[];
                            context: {
                                /** @enum {unknown} */
                                action_type: "financial_transaction" | "data_access" | "task_delegation" | "tool_invocation" | "autonomous_operation" | "multi_agent_coordination";
                                /** @enum {unknown} */
                                risk_tolerance: "conservative" | "moderate" | "aggressive";
                                team_task?: string;
                                /** @enum {unknown} */
                                coordination_mode?: "parallel" | "sequential" | "hierarchical" | "consensus";
                            };
                            explanation: string;
                            /** @enum {string} */
                            formula: "team-risk-v1";
                            inputs_commitment: string;
                            proof_id: string | null;
                            /** @enum {unknown} */
                            proof_status: "none" | "pending" | "proving" | "verified" | "failed";
                            created_at: string;
                        };
                    };
                };
            };
        };
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
         * What an assessment follows from, when all its agents are your own
         * @description Roles owner, admin, auditor, member; API key scope read. At most 100 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            formula: string;
                            /** @description what the commitment is the SHA-256 of, as canonical JSON */
                            inputs: {
                                [key: string]: unknown;
                            };
                            inputs_commitment: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * What your organisation had assessed of an agent, newest first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 100 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    /** @description default 50; more than 200 is lowered to 200 */
                    limit?: number;
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
                        "application/json": {
                            agent_id: string;
                            assessments: {
                                assessment_id: string | null;
                                agent_id: string;
                                risk_score: number;
                                /** @enum {unknown} */
                                risk_level: "low" | "medium" | "high" | "critical";
                                /** @enum {unknown} */
                                recommendation: "approve" | "review" | "deny";
                                confidence: number;
                                contributing_factors: {
                                    /** @enum {unknown} */
                                    component: "integrity_ratio" | "compliance" | "drift_stability" | "trace_completeness" | "coherence_compatibility";
                                    label: string;
                                    weight: number;
                                    /** @description the score, drawn towards 500 by a short history */
                                    raw_value: number;
                                    risk_contribution: number;
                                    explanation: string;
                                }[];
                                suggested_thresholds: {
                                    low: number;
                                    medium: number;
                                    high: number;
                                    critical: number;
                                };
                                breakdown: {
                                    context: number;
                                    recency: number;
                                    confidence_penalty: number;
                                    base: number;
                                    amount_surcharge: number;
                                    counterparty_surcharge: number;
                                };
                                circuit_breakers: ("agent_contained" | "reputation_floor" | "recent_critical_violation" | "insufficient_history" | "autonomy_limit" | "counterparty_contained" | "counterparty_conflict")[];
                                context: {
                                    /** @enum {unknown} */
                                    action_type: "financial_transaction" | "data_access" | "task_delegation" | "tool_invocation" | "autonomous_operation" | "multi_agent_coordination";
                                    /** @enum {unknown} */
                                    risk_tolerance: "conservative" | "moderate" | "aggressive";
                                    amount?: number;
                                    counterparty_id?: string;
                                    use_case?: string;
                                };
                                explanation: string;
                                /** @enum {string} */
                                formula: "risk-v1";
                                inputs_commitment: string | null;
                                proof_id: string | null;
                                /** @enum {unknown} */
                                proof_status: "none" | "pending" | "proving" | "verified" | "failed";
                                created_at: string;
                            }[];
                            total: number;
                            limit: number;
                        };
                    };
                };
            };
        };
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
         * How far the proof of an assessment is, and its receipt once it is verified
         * @description Roles owner, admin, auditor, member; API key scope read. At most 100 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            proof_id: string;
                            /** @enum {unknown} */
                            status: "pending" | "proving" | "verified" | "failed";
                            assessment_id: string;
                            /** @enum {string} */
                            assessment_kind: "individual";
                            attempts: number;
                            error: string | null;
                            receipt: {
                                proof_type: string;
                                system: string;
                                system_version: string;
                                /** @description by a conservative count */
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
                            } | null;
                            created_at: string;
                            started_at: string | null;
                            verified_at: string | null;
                        };
                    };
                };
            };
        };
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
         * The bytes of a verified proof
         * @description Roles owner, admin, auditor, member; API key scope read. At most 100 a minute per caller.
         */
        get: {
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
         * Try a proof that failed again, from its first attempt
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        post: {
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
                        "application/json": {
                            proof_id: string;
                            /** @enum {unknown} */
                            status: "pending" | "proving" | "verified" | "failed";
                            assessment_id: string;
                            /** @enum {string} */
                            assessment_kind: "individual";
                            attempts: number;
                            error: string | null;
                            receipt: {
                                proof_type: string;
                                system: string;
                                system_version: string;
                                /** @description by a conservative count */
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
                            } | null;
                            created_at: string;
                            started_at: string | null;
                            verified_at: string | null;
                        };
                    };
                };
            };
        };
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
         * Ask for the proof of an assessment that has none
         * @description Roles owner, admin, member; API key scope write. At most 30 a minute per caller.
         */
        post: {
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
                        "application/json": {
                            proof_id: string;
                            /** @enum {unknown} */
                            status: "pending" | "proving" | "verified" | "failed";
                            assessment_id: string;
                            /** @enum {string} */
                            assessment_kind: "individual";
                            attempts: number;
                            error: string | null;
                            receipt: {
                                proof_type: string;
                                system: string;
                                system_version: string;
                                /** @description by a conservative count */
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
                            } | null;
                            created_at: string;
                            started_at: string | null;
                            verified_at: string | null;
                        };
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            proof_id: string;
                            /** @enum {unknown} */
                            status: "pending" | "proving" | "verified" | "failed";
                            assessment_id: string;
                            /** @enum {string} */
                            assessment_kind: "individual";
                            attempts: number;
                            error: string | null;
                            receipt: {
                                proof_type: string;
                                system: string;
                                system_version: string;
                                /** @description by a conservative count */
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
                            } | null;
                            created_at: string;
                            started_at: string | null;
                            verified_at: string | null;
                        };
                    };
                };
            };
        };
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
         * The programs that proofs are made of; their ids can be rebuilt from the source
         * @description No credential needed. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            programs: {
                                formula: string;
                                system: string;
                                system_version: string;
                                /** @description sha256: and hex */
                                program_id: string;
                                active: boolean;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Whether a receipt is one of ours and its proof holds; nothing is stored
         * @description No credential needed. At most 10 a minute per address.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        receipt: {
                            program_id: string;
                            formula: string;
                            /** @description base64 */
                            journal: string;
                            /** @description base64 */
                            proof: string;
                            /** @description 64 hex digits */
                            proof_sha256: string;
                        };
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            valid: boolean;
                            checks: {
                                program_known: boolean;
                                proof_valid: boolean;
                                journal_well_formed: boolean;
                            };
                            journal: {
                                v: number;
                                kind: string;
                                formula: string;
                                assessment_id: string;
                                inputs_commitment: string;
                                witness_commitment: string;
                                as_of: string;
                                score_e4: number;
                                /** @enum {unknown} */
                                level: "low" | "medium" | "high" | "critical";
                                /** @enum {unknown} */
                                recommendation: "approve" | "review" | "deny";
                                circuit_breakers: ("agent_contained" | "reputation_floor" | "recent_critical_violation" | "insufficient_history" | "autonomy_limit" | "counterparty_contained" | "counterparty_conflict")[];
                            } | null;
                        };
                    };
                };
            };
        };
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
         * Which chain is written to, and where the contracts are
         * @description No credential needed. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            /** @enum {string} */
                            chain: "base";
                            chain_id: number;
                            /** @enum {unknown} */
                            mode: "embedded" | "rpc";
                            merkle_anchor: string;
                            reputation_registry: string;
                            relayer: string;
                        };
                    };
                };
            };
        };
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
         * Read-only JSON-RPC of the development chain
         * @description eth_chainId, eth_blockNumber, eth_call, eth_getTransactionByHash, eth_getTransactionReceipt, eth_getLogs and eth_getCode. With CHAIN_MODE=rpc there is none: 404. No credential needed. At most 30 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {string} */
                        jsonrpc: "2.0";
                        id?: number | string | null;
                        method: string;
                        params?: unknown[];
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {string} */
                            jsonrpc: "2.0";
                            id: number | string | null;
                            result?: unknown;
                            error?: {
                                code: number;
                                message: string;
                                data?: string;
                            };
                        };
                    };
                };
            };
        };
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
         * Anchor a Merkle root on the chain; answers once it is mined
         * @description Roles owner, admin; API key scope onchain. At most 10 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        merkle_root: string;
                        leaf_count: number;
                        /** @description from ceil(log2(leaf_count)) to 32 */
                        tree_depth: number;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
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
                    };
                };
            };
        };
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
         * That an agent is in the tree of an automatic anchor
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            anchor_id: string;
                            merkle_root: string;
                            agent_id: string;
                            /** @description SHA-256 of a zero byte and the leaf_preimage */
                            leaf: string;
                            /** @description agent_id|its Merkle root|its checkpoint count */
                            leaf_preimage: string;
                            siblings: {
                                hash: string;
                                /** @enum {unknown} */
                                position: "left" | "right";
                            }[];
                        };
                    };
                };
            };
        };
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
         * Publish scores on the chain in one transaction; answers once it is mined
         * @description Only scores that the service computed: the current one of each agent, or one of the last 24 hours. Roles owner, admin; API key scope onchain. At most 10 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        publications: {
                            agent_id: string;
                            score: number;
                            /** @enum {unknown} */
                            grade: "AAA" | "AA" | "A" | "BBB" | "BB" | "B" | "CCC";
                        }[];
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            publication_id: string;
                            tx_hash: string;
                            block_number: number;
                            gas_used: number;
                            agent_count: number;
                            published_at: string;
                        };
                    };
                };
            };
        };
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
         * Hold the published score of an agent against the chain
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            agent_id: string;
                            on_chain_score: number;
                            grade: string;
                            metadata_hash: string;
                            /** @description What was hashed: keccak256 of its canonical JSON is the metadata_hash */
                            metadata: unknown;
                            published_at: string;
                            block_number: number;
                            tx_hash: string;
                            verified: boolean;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * What is on the chain of an agent
         * @description Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            agent_id: string;
                            has_on_chain_score: boolean;
                            latest_score: {
                                score: number;
                                grade: string;
                                block_number: number;
                                published_at: string;
                            } | null;
                            latest_anchor: {
                                anchor_id: string;
                                merkle_root: string;
                                block_number: number;
                                anchored_at: string;
                            } | null;
                            last_updated: string | null;
                        };
                    };
                };
            };
        };
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
         * Anchors and publications of the organisation, newest first
         * @description Automatic anchors are listed when they cover an agent of the organisation. Roles owner, admin, auditor, member; API key scope read. At most 30 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            anchors: {
                                anchor_id: string;
                                merkle_root: string;
                                leaf_count: number;
                                tree_depth: number;
                                tx_hash: string;
                                block_number: number;
                                anchored_at: string;
                            }[];
                            publications: {
                                publication_id: string;
                                agent_count: number;
                                tx_hash: string;
                                block_number: number;
                                published_at: string;
                            }[];
                            page: number;
                            per_page: number;
                            total_anchors: number;
                            total_publications: number;
                        };
                    };
                };
            };
        };
        put?: never;
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
         * Who changed what, newest first
         * @description Roles owner, admin, auditor; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    /** @description exact action name */
                    action?: string;
                    /** @description user or key id */
                    actor?: string;
                    /** @description id of what was changed */
                    target?: string;
                    /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                    from?: string;
                    /** @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z) */
                    to?: string;
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            entries: {
                                id: string;
                                org_id: string | null;
                                action: string;
                                actor: {
                                    /** @enum {unknown} */
                                    type: "user" | "api_key" | "system";
                                    id: string;
                                    impersonated_by: string | null;
                                };
                                target: {
                                    type: string;
                                    id: string;
                                };
                                changes: {
                                    [key: string]: {
                                        from: unknown;
                                        to: unknown;
                                    };
                                };
                                ip: string | null;
                                request_id: string | null;
                                created_at: string;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
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
         * Issuer of session tokens
         * @description No credential needed. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            issuer: string;
                            jwks_uri: string;
                            response_types_supported: string[];
                            subject_types_supported: string[];
                            id_token_signing_alg_values_supported: string[];
                            claims_supported: string[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Public keys of session tokens
         * @description No credential needed. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            keys: {
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
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * New tokens for a refresh token, which works once
         * @description No credential needed. At most 30 a minute per address.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        refresh_token: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            access_token: string;
                            /** @enum {string} */
                            token_type: "Bearer";
                            /** @description seconds */
                            expires_in: number;
                            refresh_token: string;
                            user: {
                                user_id: string;
                                email: string | null;
                            };
                        };
                    };
                };
            };
        };
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
         * @description No credential needed. At most 30 a minute per address.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        refresh_token: string;
                    };
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
         * Who you are
         * @description Any signed-in person. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            user_id: string;
                            email: string | null;
                            name: string | null;
                            is_platform_admin: boolean;
                            orgs: {
                                org_id: string;
                                name: string;
                                /** @enum {unknown} */
                                role: "owner" | "admin" | "auditor" | "member";
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Leave every organisation and erase your profile
         * @description Any signed-in person. At most 30 a minute per caller.
         */
        delete: {
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
                        "application/json": {
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
            };
        };
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
         * Make an account
         * @description No credential needed. At most 5 a minute per address.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                        password: string;
                        name?: string | null;
                        invitation_token?: string | null;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            access_token: string;
                            /** @enum {string} */
                            token_type: "Bearer";
                            /** @description seconds */
                            expires_in: number;
                            refresh_token: string;
                            user: {
                                user_id: string;
                                email: string | null;
                            };
                        };
                    };
                };
            };
        };
        delete?: never;
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
         * @description No credential needed. At most 10 a minute per address.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                        password: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            access_token: string;
                            /** @enum {string} */
                            token_type: "Bearer";
                            /** @description seconds */
                            expires_in: number;
                            refresh_token: string;
                            user: {
                                user_id: string;
                                email: string | null;
                            };
                        };
                    };
                };
            };
        };
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
         * Change your password; ends all sessions
         * @description Any signed-in person. At most 30 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        current_password: string;
                        new_password: string;
                    };
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
         * Ask for a mail with a link that sets a new password
         * @description No credential needed. At most 5 a minute per address.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                    };
                };
            };
            responses: {
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {boolean} */
                            accepted: true;
                        };
                    };
                };
            };
        };
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
         * Set a new password with the mailed token
         * @description No credential needed. At most 30 a minute per address.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                        new_password: string;
                    };
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
         * See the service as a user does, reading only, for one hour
         * @description Platform administrators. At most 10 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        user_id: string;
                        reason: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            session_id: string;
                            token: string | null;
                            target_user_id: string;
                            target_email: string | null;
                            expires_at: string;
                        };
                    };
                };
            };
        };
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
         * A session that is not over
         * @description Platform administrators. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            id: string;
                            admin_user_id: string;
                            target_user_id: string;
                            target_email: string | null;
                            reason: string;
                            started_at: string;
                            expires_at: string;
                        };
                    };
                };
            };
        };
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
         * End your own session
         * @description Platform administrators. At most 30 a minute per caller.
         */
        post: {
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
                        "application/json": {
                            /** @enum {boolean} */
                            ended: true;
                            session_id: string;
                        };
                    };
                };
            };
        };
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
         * Invitations, newest first
         * @description Roles owner, admin; not with an API key. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    status?: "pending" | "accepted" | "revoked" | "expired";
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
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
                        "application/json": {
                            invitations: {
                                invitation_id: string;
                                org_id: string;
                                email: string;
                                /** @enum {unknown} */
                                role: "admin" | "auditor" | "member";
                                /** @enum {unknown} */
                                status: "pending" | "accepted" | "revoked" | "expired";
                                invited_by: string;
                                expires_at: string;
                                created_at: string;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Invite somebody by e-mail
         * @description Roles owner, admin; not with an API key. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        email: string;
                        /**
                         * @default member
                         * @enum {unknown}
                         */
                        role?: "admin" | "auditor" | "member";
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            invitation_id: string;
                            org_id: string;
                            email: string;
                            /** @enum {unknown} */
                            role: "admin" | "auditor" | "member";
                            /** @enum {unknown} */
                            status: "pending" | "accepted" | "revoked" | "expired";
                            invited_by: string;
                            expires_at: string;
                            created_at: string;
                            token: string | null;
                        };
                    };
                };
            };
        };
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
         * Take an invitation back
         * @description Roles owner, admin; not with an API key. At most 30 a minute per caller.
         */
        delete: {
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
                        "application/json": {
                            /** @enum {boolean} */
                            revoked: true;
                            invitation_id: string;
                        };
                    };
                };
            };
        };
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
         * Accept an invitation to your e-mail address
         * @description Any signed-in person. At most 10 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            org_id: string;
                            org_name: string;
                            /** @enum {unknown} */
                            role: "admin" | "auditor" | "member";
                            personal_subscription_warning: string | null;
                        };
                    };
                };
            };
        };
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
         * Your API keys
         * @description Any signed-in person. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            keys: {
                                key_id: string;
                                name: string;
                                org_id: string;
                                key_prefix: string;
                                /** @enum {unknown} */
                                role: "admin" | "auditor" | "member";
                                scopes: ("read" | "ingest" | "write" | "onchain")[];
                                created_by: string;
                                created_at: string;
                                expires_at: string | null;
                                last_used_at: string | null;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Create an API key; the secret is shown only now
         * @description Roles owner, admin, auditor, member; not with an API key. At most 30 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @default Default */
                        name?: string;
                        /**
                         * @description default and ceiling: your own role
                         * @enum {unknown}
                         */
                        role?: "admin" | "auditor" | "member";
                        /** @description default all */
                        scopes?: ("read" | "ingest" | "write" | "onchain")[];
                        /** @description default never */
                        expires_in_days?: number;
                        /** @description needed when you belong to several */
                        org_id?: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            key_id: string;
                            name: string;
                            org_id: string;
                            key_prefix: string;
                            /** @enum {unknown} */
                            role: "admin" | "auditor" | "member";
                            scopes: ("read" | "ingest" | "write" | "onchain")[];
                            created_by: string;
                            created_at: string;
                            expires_at: string | null;
                            last_used_at: string | null;
                            key: string | null;
                        };
                    };
                };
            };
        };
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
         * Revoke your API key
         * @description Any signed-in person. At most 30 a minute per caller.
         */
        delete: {
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
                        "application/json": {
                            /** @enum {boolean} */
                            revoked: true;
                            key_id: string;
                        };
                    };
                };
            };
        };
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
         * Give your API key a new secret
         * @description Any signed-in person. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        /**
                         * @description hours the old secret still works
                         * @default 0
                         */
                        grace_hours?: number;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            key_id: string;
                            name: string;
                            org_id: string;
                            key_prefix: string;
                            /** @enum {unknown} */
                            role: "admin" | "auditor" | "member";
                            scopes: ("read" | "ingest" | "write" | "onchain")[];
                            created_by: string;
                            created_at: string;
                            expires_at: string | null;
                            last_used_at: string | null;
                            key: string | null;
                        };
                    };
                };
            };
        };
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
         * All API keys of the organisation
         * @description Roles owner, admin; not with an API key. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            keys: {
                                key_id: string;
                                name: string;
                                org_id: string;
                                key_prefix: string;
                                /** @enum {unknown} */
                                role: "admin" | "auditor" | "member";
                                scopes: ("read" | "ingest" | "write" | "onchain")[];
                                created_by: string;
                                created_at: string;
                                expires_at: string | null;
                                last_used_at: string | null;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Create an API key of the organisation
         * @description Roles owner, admin; not with an API key. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        /** @default Default */
                        name?: string;
                        /**
                         * @description default and ceiling: your own role
                         * @enum {unknown}
                         */
                        role?: "admin" | "auditor" | "member";
                        /** @description default all */
                        scopes?: ("read" | "ingest" | "write" | "onchain")[];
                        /** @description default never */
                        expires_in_days?: number;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            key_id: string;
                            name: string;
                            org_id: string;
                            key_prefix: string;
                            /** @enum {unknown} */
                            role: "admin" | "auditor" | "member";
                            scopes: ("read" | "ingest" | "write" | "onchain")[];
                            created_by: string;
                            created_at: string;
                            expires_at: string | null;
                            last_used_at: string | null;
                            key: string | null;
                        };
                    };
                };
            };
        };
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
         * Revoke an API key of the organisation
         * @description Roles owner, admin; not with an API key. At most 30 a minute per caller.
         */
        delete: {
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
                        "application/json": {
                            /** @enum {boolean} */
                            revoked: true;
                            key_id: string;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
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
         * Give an API key of the organisation a new secret
         * @description Roles owner, admin; not with an API key. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        /**
                         * @description hours the old secret still works
                         * @default 0
                         */
                        grace_hours?: number;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            key_id: string;
                            name: string;
                            org_id: string;
                            key_prefix: string;
                            /** @enum {unknown} */
                            role: "admin" | "auditor" | "member";
                            scopes: ("read" | "ingest" | "write" | "onchain")[];
                            created_by: string;
                            created_at: string;
                            expires_at: string | null;
                            last_used_at: string | null;
                            key: string | null;
                        };
                    };
                };
            };
        };
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
         * Your organisations
         * @description Any signed-in person. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            orgs: {
                                org_id: string;
                                name: string;
                                slug: string;
                                billing_account_id: string;
                                owner_user_id: string;
                                billing_email: string | null;
                                company_name: string | null;
                                member_count: number;
                                role: ("owner" | "admin" | "auditor" | "member") | null;
                                created_at: string;
                                updated_at: string;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Create an organisation
         * @description Any signed-in person. At most 30 a minute per caller.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                        /** @description unique; lower-case letters, digits and inner hyphens */
                        slug: string;
                        billing_email?: string | null;
                        company_name?: string | null;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            org_id: string;
                            name: string;
                            slug: string;
                            billing_account_id: string;
                            owner_user_id: string;
                            billing_email: string | null;
                            company_name: string | null;
                            member_count: number;
                            role: ("owner" | "admin" | "auditor" | "member") | null;
                            created_at: string;
                            updated_at: string;
                        };
                    };
                };
            };
        };
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
         * One organisation
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            org_id: string;
                            name: string;
                            slug: string;
                            billing_account_id: string;
                            owner_user_id: string;
                            billing_email: string | null;
                            company_name: string | null;
                            member_count: number;
                            role: ("owner" | "admin" | "auditor" | "member") | null;
                            created_at: string;
                            updated_at: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Delete an organisation; it can be restored for 30 days
         * @description Roles owner; not with an API key. At most 30 a minute per caller.
         */
        delete: {
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
                        "application/json": {
                            /** @enum {boolean} */
                            deleted: true;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Change an organisation
         * @description Roles owner, admin; not with an API key. At most 30 a minute per caller.
         */
        patch: {
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
                    "application/json": {
                        name?: string;
                        /** @description unique; lower-case letters, digits and inner hyphens */
                        slug?: string;
                        billing_email?: string | null;
                        company_name?: string | null;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            org_id: string;
                            name: string;
                            slug: string;
                            billing_account_id: string;
                            owner_user_id: string;
                            billing_email: string | null;
                            company_name: string | null;
                            member_count: number;
                            role: ("owner" | "admin" | "auditor" | "member") | null;
                            created_at: string;
                            updated_at: string;
                        };
                    };
                };
            };
        };
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
         * Members, owners first
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            members: {
                                user_id: string;
                                email: string | null;
                                /** @enum {unknown} */
                                role: "owner" | "admin" | "auditor" | "member";
                                accepted_at: string;
                            }[];
                        };
                    };
                };
            };
        };
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
         * Remove a member, or leave by naming yourself
         * @description Roles owner, admin, auditor, member; not with an API key. At most 30 a minute per caller.
         */
        delete: {
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
                        "application/json": {
                            /** @enum {boolean} */
                            removed: true;
                            org_id: string;
                            user_id: string;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description Roles owner; not with an API key. At most 30 a minute per caller.
         */
        patch: {
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
                    "application/json": {
                        /** @enum {unknown} */
                        role: "owner" | "admin" | "auditor" | "member";
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            org_id: string;
                            user_id: string;
                            /** @enum {unknown} */
                            old_role: "owner" | "admin" | "auditor" | "member";
                            /** @enum {unknown} */
                            new_role: "owner" | "admin" | "auditor" | "member";
                        };
                    };
                };
            };
        };
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
         * Undo the deletion of an organisation
         * @description Platform administrators. At most 30 a minute per caller.
         */
        post: {
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
                        "application/json": {
                            org_id: string;
                            name: string;
                            slug: string;
                            billing_account_id: string;
                            owner_user_id: string;
                            billing_email: string | null;
                            company_name: string | null;
                            member_count: number;
                            role: ("owner" | "admin" | "auditor" | "member") | null;
                            created_at: string;
                            updated_at: string;
                        };
                    };
                };
            };
        };
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
         * The plans there are
         * @description No credential needed.
         */
        get: {
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
                        "application/json": {
                            plans: {
                                /** @enum {unknown} */
                                plan_id: "plan-free" | "plan-developer" | "plan-team" | "plan-enterprise";
                                display_name: string;
                                features: ("risk_assessment" | "team_risk_assessment" | "zk_proofs" | "team_reputation" | "intelligence" | "pairwise_coherence" | "webhooks" | "custom_conscience_values" | "org_card_template" | "nway_coherence" | "sso")[];
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
                                /** @description counted from the first one on; they include 0 and have no percentage */
                                metered: ("checks" | "team_reputation" | "risk_assessment" | "team_risk_assessment")[];
                                prices: {
                                    checks: number | null;
                                    team_reputation: number | null;
                                    risk_assessment: number | null;
                                    team_risk_assessment: number | null;
                                };
                            }[];
                        };
                    };
                };
            };
        };
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
         * An organisation's plan and its use of it this month
         * @description Roles owner, admin, auditor; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            org_id: string;
                            billing_account_id: string;
                            /** @enum {unknown} */
                            plan_id: "plan-free" | "plan-developer" | "plan-team" | "plan-enterprise";
                            /**
                             * @description canceled counts as Free
                             * @enum {unknown}
                             */
                            status: "trialing" | "active" | "past_due" | "canceled";
                            cancel_at_period_end: boolean;
                            features: ("risk_assessment" | "team_risk_assessment" | "zk_proofs" | "team_reputation" | "intelligence" | "pairwise_coherence" | "webhooks" | "custom_conscience_values" | "org_card_template" | "nway_coherence" | "sso")[];
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
                            /** @description counted from the first one on; they include 0 and have no percentage */
                            metered: ("checks" | "team_reputation" | "risk_assessment" | "team_risk_assessment")[];
                            period_start: string;
                            period_end: string;
                            usage: {
                                checks: {
                                    used: number;
                                    included: number | null;
                                    usage_percent: number | null;
                                };
                                team_reputation: {
                                    used: number;
                                    included: number | null;
                                    usage_percent: number | null;
                                };
                                risk_assessment: {
                                    used: number;
                                    included: number | null;
                                    usage_percent: number | null;
                                };
                                team_risk_assessment: {
                                    used: number;
                                    included: number | null;
                                    usage_percent: number | null;
                                };
                            };
                        };
                    };
                };
            };
        };
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
         * Metered use day by day, oldest first
         * @description Roles owner, admin, auditor; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            org_id: string;
                            daily: {
                                /** Format: date */
                                date: string;
                                checks: number;
                                team_reputation: number;
                                risk_assessment: number;
                                team_risk_assessment: number;
                            }[];
                        };
                    };
                };
            };
        };
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
         * Set an organisation's plan, status and limits, at once
         * @description Platform administrators. At most 30 a minute per caller.
         */
        put: {
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
                    "application/json": {
                        /** @enum {unknown} */
                        plan_id: "plan-free" | "plan-developer" | "plan-team" | "plan-enterprise";
                        /**
                         * @default active
                         * @enum {unknown}
                         */
                        status?: "trialing" | "active" | "past_due" | "canceled";
                        /** @description override the plan's; those left out are the plan's again */
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
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            org_id: string;
                            billing_account_id: string;
                            /** @enum {unknown} */
                            plan_id: "plan-free" | "plan-developer" | "plan-team" | "plan-enterprise";
                            /**
                             * @description canceled counts as Free
                             * @enum {unknown}
                             */
                            status: "trialing" | "active" | "past_due" | "canceled";
                            cancel_at_period_end: boolean;
                            features: ("risk_assessment" | "team_risk_assessment" | "zk_proofs" | "team_reputation" | "intelligence" | "pairwise_coherence" | "webhooks" | "custom_conscience_values" | "org_card_template" | "nway_coherence" | "sso")[];
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
                            /** @description counted from the first one on; they include 0 and have no percentage */
                            metered: ("checks" | "team_reputation" | "risk_assessment" | "team_risk_assessment")[];
                            period_start: string;
                            period_end: string;
                            usage: {
                                checks: {
                                    used: number;
                                    included: number | null;
                                    usage_percent: number | null;
                                };
                                team_reputation: {
                                    used: number;
                                    included: number | null;
                                    usage_percent: number | null;
                                };
                                risk_assessment: {
                                    used: number;
                                    included: number | null;
                                    usage_percent: number | null;
                                };
                                team_risk_assessment: {
                                    used: number;
                                    included: number | null;
                                    usage_percent: number | null;
                                };
                            };
                        };
                    };
                };
            };
        };
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
         * Single sign-on as it is
         * @description Roles owner; not with an API key. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            /** @enum {boolean} */
                            configured: true;
                            org_id: string;
                            metadata_url: string;
                            idp_name: string | null;
                            /** @enum {unknown} */
                            default_role: "admin" | "auditor" | "member";
                            allowed_domains: string[];
                            enforced: boolean;
                            /** @description the identity provider's name */
                            entity_id: string;
                            sso_url: string;
                            /** @description when the last known signing certificate expires and signing in stops */
                            certificate_expires_at: string;
                            acs_url: string;
                            /** @description our name towards the identity provider */
                            sp_entity_id: string;
                            created_at: string;
                            updated_at: string;
                        } | {
                            /** @enum {boolean} */
                            configured: false;
                        };
                    };
                };
            };
        };
        /**
         * Set up single sign-on; the metadata is tested first
         * @description Roles owner; not with an API key. At most 30 a minute per caller.
         */
        put: {
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
                    "application/json": {
                        metadata_url: string;
                        idp_name?: string | null;
                        /** @enum {unknown} */
                        default_role?: "admin" | "auditor" | "member";
                        /** @description mail domains; each belongs to one organisation at most */
                        allowed_domains: string[];
                        /** @default false */
                        enforced?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {boolean} */
                            configured: true;
                            org_id: string;
                            metadata_url: string;
                            idp_name: string | null;
                            /** @enum {unknown} */
                            default_role: "admin" | "auditor" | "member";
                            allowed_domains: string[];
                            enforced: boolean;
                            /** @description the identity provider's name */
                            entity_id: string;
                            sso_url: string;
                            /** @description when the last known signing certificate expires and signing in stops */
                            certificate_expires_at: string;
                            acs_url: string;
                            /** @description our name towards the identity provider */
                            sp_entity_id: string;
                            created_at: string;
                            updated_at: string;
                        };
                    };
                };
            };
        };
        post?: never;
        /**
         * Give up single sign-on
         * @description Roles owner; not with an API key. At most 30 a minute per caller.
         */
        delete: {
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
                        "application/json": {
                            /** @enum {boolean} */
                            removed: true;
                            note: string;
                        };
                    };
                };
            };
        };
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
         * Test metadata without storing it
         * @description Roles owner; not with an API key. At most 10 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        metadata_url?: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            valid: boolean;
                            error: string | null;
                            metadata_url: string;
                        };
                    };
                };
            };
        };
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
         * Whether an address signs in through its organisation
         * @description No credential needed. At most 60 a minute per address.
         */
        get: {
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
                        "application/json": {
                            /** @description whether this address signs in through its organisation */
                            sso: boolean;
                            org_id: string | null;
                            login_url: string | null;
                            /** @description whether the organisation accepts no other sign-in */
                            enforced: boolean;
                        };
                    };
                };
            };
        };
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
         * Our SAML metadata, for the identity provider
         * @description No credential needed. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": string;
                    };
                };
            };
        };
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
         * Go to the identity provider
         * @description No credential needed. At most 60 a minute per address.
         */
        get: {
            parameters: {
                query?: {
                    /** @description a path of the dashboard, handed back with the code */
                    return_to?: string;
                    /** @description handed back with the code, so that the caller knows the sign-in as its own */
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
                        "application/json": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
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
         * Take the identity provider's answer
         * @description No credential needed. At most 30 a minute per address.
         */
        post: {
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
                    "application/x-www-form-urlencoded": {
                        SAMLResponse: string;
                        /** @description not used */
                        RelayState?: string;
                    };
                };
            };
            responses: never;
        };
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
         * Exchange the code for tokens, once and within 60 seconds
         * @description No credential needed. At most 30 a minute per address.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        code: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            access_token: string;
                            /** @enum {string} */
                            token_type: "Bearer";
                            expires_in: number;
                            refresh_token: string;
                            user: {
                                user_id: string;
                                email: string | null;
                            };
                        };
                    };
                };
            };
        };
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
         * The endpoints, oldest first
         * @description Roles owner, admin, auditor; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            webhooks: {
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
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Add an endpoint; its signing secret is shown only now. At most five
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        /** @description https, at most 2048 characters, leading to a public address */
                        url: string;
                        description?: string | null;
                        /** @description types, families such as trace.*, or *; empty means all */
                        event_types?: ("integrity.checkpoint" | "integrity.violation" | "drift.detected" | "drift.resolved" | "conscience.escalation" | "conscience.values_updated" | "agent.paused" | "agent.resumed" | "agent.killed" | "trace.created" | "trace.verified" | "trace.failed" | "trace.escalation_required" | "policy.violation" | "reputation.score_changed" | "reputation.grade_changed" | "team.created" | "team.archived" | "team.member_added" | "team.member_removed" | "team.card_updated" | "team_reputation.score_changed" | "team_reputation.grade_changed" | "quota.team_reputation_warning" | "quota.team_reputation_exceeded" | "quota.warning" | "quota.exceeded" | "subscription.status_changed" | "*" | "integrity.*" | "drift.*" | "conscience.*" | "agent.*" | "trace.*" | "policy.*" | "reputation.*" | "team.*" | "team_reputation.*" | "quota.*" | "subscription.*")[];
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
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
                    };
                };
            };
        };
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
         * One endpoint
         * @description Roles owner, admin, auditor; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
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
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Delete an endpoint and its deliveries
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        delete: {
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
                        "application/json": {
                            /** @enum {boolean} */
                            deleted: true;
                            endpoint_id: string;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Change an endpoint, disable it or enable it again
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        patch: {
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
                    "application/json": {
                        /** @description https, at most 2048 characters, leading to a public address */
                        url?: string;
                        description?: string | null;
                        /** @description types, families such as trace.*, or *; empty means all */
                        event_types?: ("integrity.checkpoint" | "integrity.violation" | "drift.detected" | "drift.resolved" | "conscience.escalation" | "conscience.values_updated" | "agent.paused" | "agent.resumed" | "agent.killed" | "trace.created" | "trace.verified" | "trace.failed" | "trace.escalation_required" | "policy.violation" | "reputation.score_changed" | "reputation.grade_changed" | "team.created" | "team.archived" | "team.member_added" | "team.member_removed" | "team.card_updated" | "team_reputation.score_changed" | "team_reputation.grade_changed" | "quota.team_reputation_warning" | "quota.team_reputation_exceeded" | "quota.warning" | "quota.exceeded" | "subscription.status_changed" | "*" | "integrity.*" | "drift.*" | "conscience.*" | "agent.*" | "trace.*" | "policy.*" | "reputation.*" | "team.*" | "team_reputation.*" | "quota.*" | "subscription.*")[];
                        /** @description true enables it again and starts the count of failures anew */
                        is_active?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
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
                    };
                };
            };
        };
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
         * Send a test event now and say how it was answered
         * @description Roles owner, admin; API key scope write. At most 10 a minute per caller.
         */
        post: {
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
                        "application/json": {
                            success: boolean;
                            status: number | null;
                            latency_ms: number | null;
                            error: string | null;
                        };
                    };
                };
            };
        };
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
         * Give an endpoint a new signing secret, shown only now
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        /**
                         * @description how long webhook-signature also holds one by the old secret
                         * @default 0
                         */
                        overlap_hours?: number;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            endpoint_id: string;
                            signing_secret: string | null;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * Send an endpoint once more everything since a time; events are kept 30 days
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        post: {
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
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601 with offset, extended (2026-11-15T22:00:00.5Z) or basic (20261115T220000Z)
                         */
                        since: string;
                        /** @description which to send; by default those the endpoint is subscribed to */
                        event_types?: ("integrity.checkpoint" | "integrity.violation" | "drift.detected" | "drift.resolved" | "conscience.escalation" | "conscience.values_updated" | "agent.paused" | "agent.resumed" | "agent.killed" | "trace.created" | "trace.verified" | "trace.failed" | "trace.escalation_required" | "policy.violation" | "reputation.score_changed" | "reputation.grade_changed" | "team.created" | "team.archived" | "team.member_added" | "team.member_removed" | "team.card_updated" | "team_reputation.score_changed" | "team_reputation.grade_changed" | "quota.team_reputation_warning" | "quota.team_reputation_exceeded" | "quota.warning" | "quota.exceeded" | "subscription.status_changed" | "*" | "integrity.*" | "drift.*" | "conscience.*" | "agent.*" | "trace.*" | "policy.*" | "reputation.*" | "team.*" | "team_reputation.*" | "quota.*" | "subscription.*")[];
                    };
                };
            };
            responses: {
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            replay_id: string;
                            endpoint_id: string;
                            since: string;
                            until: string;
                            event_types: string[] | null;
                        };
                    };
                };
            };
        };
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
         * The delivery log, newest first; kept 30 days
         * @description Roles owner, admin, auditor; API key scope read. At most 60 a minute per caller.
         */
        get: {
            parameters: {
                query?: {
                    page?: number;
                    /** @description default 20; more than 100 is lowered to 100 */
                    per_page?: number;
                    endpoint_id?: string;
                    status?: "pending" | "delivering" | "retrying" | "delivered" | "failed";
                    event_type?: "integrity.checkpoint" | "integrity.violation" | "drift.detected" | "drift.resolved" | "conscience.escalation" | "conscience.values_updated" | "agent.paused" | "agent.resumed" | "agent.killed" | "trace.created" | "trace.verified" | "trace.failed" | "trace.escalation_required" | "policy.violation" | "reputation.score_changed" | "reputation.grade_changed" | "team.created" | "team.archived" | "team.member_added" | "team.member_removed" | "team.card_updated" | "team_reputation.score_changed" | "team_reputation.grade_changed" | "quota.team_reputation_warning" | "quota.team_reputation_exceeded" | "quota.warning" | "quota.exceeded" | "subscription.status_changed" | "webhook.test";
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
                        "application/json": {
                            deliveries: {
                                delivery_id: string;
                                event_id: string;
                                endpoint_id: string;
                                event_type: string;
                                /** @enum {unknown} */
                                status: "pending" | "delivering" | "retrying" | "delivered" | "failed";
                                attempt_count: number;
                                max_attempts: number;
                                last_response_status: number | null;
                                last_error: string | null;
                                latency_ms: number | null;
                                next_attempt_at: string | null;
                                created_at: string;
                                updated_at: string;
                            }[];
                            total: number;
                            page: number;
                            per_page: number;
                        };
                    };
                };
            };
        };
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
         * One delivery with what was sent and every attempt
         * @description Roles owner, admin, auditor; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "application/json": {
                            delivery_id: string;
                            event_id: string;
                            endpoint_id: string;
                            event_type: string;
                            /** @enum {unknown} */
                            status: "pending" | "delivering" | "retrying" | "delivered" | "failed";
                            attempt_count: number;
                            max_attempts: number;
                            last_response_status: number | null;
                            last_error: string | null;
                            latency_ms: number | null;
                            next_attempt_at: string | null;
                            created_at: string;
                            updated_at: string;
                            /** @description as it was sent */
                            payload: {
                                [key: string]: unknown;
                            };
                            attempts: {
                                at: string;
                                status: number | null;
                                latency_ms: number | null;
                                error: string | null;
                            }[];
                        };
                    };
                };
            };
        };
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
         * Send a finished delivery once more, byte for byte
         * @description Roles owner, admin; API key scope write. At most 30 a minute per caller.
         */
        post: {
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
                        "application/json": {
                            delivery_id: string;
                            event_id: string;
                            /** @enum {string} */
                            status: "pending";
                        };
                    };
                };
            };
        };
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
         * What happens in the organisation, as it happens (server-sent events)
         * @description Roles owner, admin, auditor, member; API key scope read. At most 60 a minute per caller.
         */
        get: {
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
                        "text/event-stream": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: never;
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
