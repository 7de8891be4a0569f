import { domainOf, toAddress } from './domains.ts'
import { RESPONSE_ELEMENTS_MAX } from './response.ts'
import { attributeOf, childrenNamed, isNamed, parseXml, SAML, textOf } from './xml.ts'

/**
 * Checks of a verified assertion: issuer, audience, recipient and times. Reads only the text whose
 * signature was verified, and nothing outside it.
 */
export type Expected = {
  now: Date
  assertionId: string
  entityId: string
  spEntityId: string
  acsUrl: string
  allowedDomains: readonly string[]
  /** The attribute that lists the person's groups. */
  groupsClaim: string
}

export type AssertedPerson = {
  assertionId: string
  /** Id of our request that the assertion answers. */
  inResponseTo: string
  /** The assertion is refused as expired from then on, so its id need not be stored any longer. */
  expiresAt: Date
  nameId: string
  email: string
  name: string | null
  groups: string[]
}

export type AssertionRefusal =
  | 'unreadable'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'wrong_recipient'
  | 'not_current'
  | 'not_an_authentication'
  | 'no_lasting_name'
  | 'no_email'
  | 'domain_not_allowed'

export type AssertionOutcome =
  | { ok: true; identity: AssertedPerson }
  | { ok: false; refusal: AssertionRefusal }

/** spec: platform §4.3. */
const SKEW_MS = 60_000

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
/** SAML core §8.3.7. */
const NAME_ID_LENGTH_MAX = 256

/** Attribute names are compared in lower case. */
const XMLSOAP_CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'

/** As common providers name them: plain, as LDAP object identifiers, or as claim URIs. */
const EMAIL_ATTRIBUTES = [
  'email',
  'mail',
  'emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'urn:oid:1.2.840.113549.1.9.1',
  `${XMLSOAP_CLAIMS}/emailaddress`,
]
const NAME_ATTRIBUTES = [
  'displayname',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'http://schemas.microsoft.com/identity/claims/displayname',
  'cn',
  'urn:oid:2.5.4.3',
  'name',
  `${XMLSOAP_CLAIMS}/name`,
]
const GIVEN_NAME_ATTRIBUTES = [
  'givenname',
  'firstname',
  'first_name',
  'urn:oid:2.5.4.42',
  `${XMLSOAP_CLAIMS}/givenname`,
]
const SURNAME_ATTRIBUTES = [
  'surname',
  'sn',
  'lastname',
  'last_name',
  'urn:oid:2.5.4.4',
  `${XMLSOAP_CLAIMS}/surname`,
]
/** Read in addition to the attribute `groups` while no other is configured. */
const GROUP_ATTRIBUTES = [
  'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
  'http://schemas.xmlsoap.org/claims/group',
  'memberof',
  'urn:oid:1.3.6.1.4.1.5923.1.5.1.1',
]
const PERSON_NAME_LENGTH_MAX = 200

export function judgeAssertion(xml: string, expected: Expected): AssertionOutcome {
  const parsed = parseXml(xml, RESPONSE_ELEMENTS_MAX)
  if (!parsed.ok || !isNamed(parsed.root, SAML, 'Assertion')) return refused('unreadable')
  const assertion = parsed.root
  if (attributeOf(assertion, 'ID') !== expected.assertionId) return refused('unreadable')
  const issuer = onlyChild(assertion, 'Issuer')
  if (issuer === undefined || textOf(issuer) !== expected.entityId) return refused('wrong_issuer')
  const refusal =
    refuseTimes(assertion, expected.now) ?? refuseAudience(assertion, expected.spEntityId)
  if (refusal !== undefined) return refused(refusal)
  const subject = onlyChild(assertion, 'Subject')
  const confirmation = subject && confirmationOf(subject, expected)
  if (subject === undefined || confirmation === undefined) return refused('wrong_recipient')
  if (!isCurrent(confirmation.element, expected.now)) return refused('not_current')
  return identify(assertion, { subject, confirmation, expected })
}

type Confirmation = { element: Element; inResponseTo: string; expiresAt: Date }

function identify(
  assertion: Element,
  found: { subject: Element; confirmation: Confirmation; expected: Expected },
): AssertionOutcome {
  const nameId = nameIdOf(found.subject)
  if (nameId === undefined) return refused('no_lasting_name')
  const attributes = attributesOf(assertion)
  const email = emailOf(nameId, attributes)
  if (email === undefined) return refused('no_email')
  if (!found.expected.allowedDomains.includes(domainOf(email) ?? '')) {
    return refused('domain_not_allowed')
  }
  const { groupsClaim } = found.expected
  const groupNames = [groupsClaim.toLowerCase()]
  if (groupsClaim === 'groups') groupNames.push(...GROUP_ATTRIBUTES)
  const { inResponseTo, expiresAt } = found.confirmation
  return {
    ok: true,
    identity: {
      assertionId: found.expected.assertionId,
      inResponseTo,
      expiresAt,
      nameId: nameId.value,
      email,
      name: nameOf(attributes, [email, nameId.value]),
      groups: valuesOf(attributes, groupNames),
    },
  }
}

function refuseTimes(assertion: Element, now: Date): AssertionRefusal | undefined {
  const issuedAt = instantOf(assertion, 'IssueInstant')
  const conditions = onlyChild(assertion, 'Conditions')
  if (conditions === undefined || issuedAt === undefined) return 'unreadable'
  if (!(issuedAt - SKEW_MS <= now.getTime()) || !isCurrent(conditions, now)) return 'not_current'
  // SAML profiles §4.1.4.2: an assertion without AuthnStatement does not say that anybody signed
  // in.
  const statements = childrenNamed(assertion, SAML, 'AuthnStatement')
  if (statements.length === 0) return 'not_an_authentication'
  const hasEnded = statements.some((one) => !isBefore(one, 'SessionNotOnOrAfter', now))
  return hasEnded ? 'not_current' : undefined
}

/** There must be an audience restriction, and each must contain our entity id. */
function refuseAudience(assertion: Element, spEntityId: string): AssertionRefusal | undefined {
  const restrictions = childrenNamed(assertion, SAML, 'Conditions').flatMap((conditions) =>
    childrenNamed(conditions, SAML, 'AudienceRestriction'),
  )
  const names = (restriction: Element) =>
    childrenNamed(restriction, SAML, 'Audience').some((one) => textOf(one) === spEntityId)
  return restrictions.length > 0 && restrictions.every(names) ? undefined : 'wrong_audience'
}

/** The bearer confirmation for our address; it must name the request it answers. */
function confirmationOf(subject: Element, expected: Expected): Confirmation | undefined {
  for (const one of childrenNamed(subject, SAML, 'SubjectConfirmation')) {
    const element = onlyChild(one, 'SubjectConfirmationData')
    if (attributeOf(one, 'Method') !== BEARER || element === undefined) continue
    const inResponseTo = attributeOf(element, 'InResponseTo')
    const end = instantOf(element, 'NotOnOrAfter')
    if (attributeOf(element, 'Recipient') !== expected.acsUrl) continue
    if (inResponseTo === undefined || end === undefined || Number.isNaN(end)) continue
    return { element, inResponseTo, expiresAt: new Date(end + SKEW_MS) }
  }
  return undefined
}

function isCurrent(element: Element, now: Date): boolean {
  const start = instantOf(element, 'NotBefore')
  return (
    (start === undefined || start - SKEW_MS <= now.getTime()) &&
    isBefore(element, 'NotOnOrAfter', now)
  )
}

/** True if the limit is absent, false if it is unreadable. */
function isBefore(element: Element, limit: string, now: Date): boolean {
  const end = instantOf(element, limit)
  return end === undefined || now.getTime() < end + SKEW_MS
}

/** `undefined` if absent, NaN if unreadable, so that every comparison fails. */
function instantOf(element: Element, name: string): number | undefined {
  const text = attributeOf(element, name)
  if (text === undefined) return undefined
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text)
  return isInstant ? Date.parse(text) : Number.NaN
}

type NameId = { value: string; format: string | undefined }

/**
 * Refuses transient names: they differ each time and would create a new person at every sign-in.
 */
function nameIdOf(subject: Element): NameId | undefined {
  const element = onlyChild(subject, 'NameID')
  const value = element === undefined ? undefined : textOf(element)
  if (element === undefined || !value || value.length > NAME_ID_LENGTH_MAX) return undefined
  const format = attributeOf(element, 'Format')
  return format === TRANSIENT || /\p{Cc}/u.test(value) ? undefined : { value, format }
}

/**
 * The name if its format says it is an address, else an attribute, else the name if it looks like
 * one.
 */
function emailOf(nameId: NameId, attributes: Attributes): string | undefined {
  const own = toAddress(nameId.value)
  if (nameId.format === EMAIL_FORMAT) return own
  const given = valuesOf(attributes, EMAIL_ATTRIBUTES).flatMap((value) => toAddress(value) ?? [])
  return given[0] ?? own
}

/**
 * The display name, or given name and surname. Some providers send the account's identifier as the
 * name, which says nothing about the person if there is something better.
 */
function nameOf(attributes: Attributes, identifiers: readonly string[]): string | null {
  const names = valuesOf(attributes, NAME_ATTRIBUTES)
  const given = valuesOf(attributes, GIVEN_NAME_ATTRIBUTES)[0]
  const surname = valuesOf(attributes, SURNAME_ATTRIBUTES)[0]
  const whole = [given, surname].filter((part) => part !== undefined).join(' ')
  const isIdentifier = (name: string): boolean =>
    identifiers.some((identifier) => identifier.toLowerCase() === name.toLowerCase())
  const name = names.find((one) => !isIdentifier(one)) ?? (whole || names[0])
  return name?.slice(0, PERSON_NAME_LENGTH_MAX) ?? null
}

type Attributes = ReadonlyMap<string, readonly string[]>

function attributesOf(assertion: Element): Attributes {
  const attributes = new Map<string, string[]>()
  for (const statement of childrenNamed(assertion, SAML, 'AttributeStatement')) {
    for (const attribute of childrenNamed(statement, SAML, 'Attribute')) {
      const name = (attributeOf(attribute, 'Name') ?? '').toLowerCase()
      const values = childrenNamed(attribute, SAML, 'AttributeValue').flatMap(
        (value) => textOf(value) || [],
      )
      attributes.set(name, [...(attributes.get(name) ?? []), ...values])
    }
  }
  return attributes
}

function valuesOf(attributes: Attributes, names: readonly string[]): string[] {
  return names.flatMap((name) => attributes.get(name) ?? [])
}

function onlyChild(parent: Element, name: string): Element | undefined {
  const [first, ...more] = childrenNamed(parent, SAML, name)
  return more.length === 0 ? first : undefined
}

function refused(refusal: AssertionRefusal): AssertionOutcome {
  return { ok: false, refusal }
}
