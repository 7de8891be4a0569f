-- platform/sso: OpenID Connect as a second protocol, roles by group, sign-ins bound to a browser

-- Sign-ins under way have no browser to check; people start them again.
delete from sso_request;
delete from sso_code;

alter table sso_config
  add column protocol text not null default 'saml' check (protocol in ('saml', 'oidc')),
  -- [{"group": text, "role": text}]
  add column role_mapping jsonb not null default '[]',
  add column groups_claim text not null default 'groups',
  add column issuer text,
  add column client_id text,
  -- encrypted with SECRET_KEY; null for a public client
  add column client_secret text,
  add column scopes text[],
  alter column metadata_url drop not null,
  alter column entity_id drop not null,
  alter column sso_url drop not null,
  alter column binding drop not null,
  alter column certificates drop not null,
  alter column certificate_expires_at drop not null,
  add constraint sso_config_protocol_fields check (
    case protocol
      when 'saml' then num_nulls(metadata_url, entity_id, sso_url, binding, certificates,
        certificate_expires_at) = 0
      else num_nulls(issuer, client_id, scopes) = 0
    end);

alter table sso_request
  -- the entity id or issuer that the request was sent to
  add column provider text not null,
  -- SHA-256 of the cookie of the browser that started the sign-in
  add column browser_hash text not null,
  add column nonce text,
  add column code_verifier text;

alter table sso_code add column browser_hash text not null;
