import {
  attributeOf,
  childrenNamed,
  elementsOf,
  everyElement,
  isNamed,
  isPlain,
  parseXml,
  SAML,
  SAMLP,
  textOf,
  XMLDSIG,
} from './xml.ts'

/**
 * Checks the shape of a response before its signature is verified. Refuses every response that could
 * be read in two ways, whatever its signature covers, so that signature wrapping cannot hide a
 * second assertion.
 */
export type ResponseOutcome =
  | { ok: true; assertionId: string; inResponseTo: string | undefined }
  | { ok: false; refusal: ShapeRefusal }

export type ShapeRefusal =
  | 'unreadable'
  | 'not_a_response'
  | 'provider_refused'
  | 'encrypted'
  | 'one_assertion_needed'
  | 'assertion_not_signed'
  | 'weak_signature'
  | 'signature_shape'
  | 'wrong_issuer'
  | 'wrong_recipient'

/**
 * Anybody can send a response, so verifying it must be cheap; one with 150 groups has 400 elements.
 */
export const RESPONSE_ELEMENTS_MAX = 1_500

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'

/** RSA with SHA-256 or better (spec: platform §4.3), as far as the SAML library supports it. */
const SIGNATURE_METHODS: readonly string[] = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
]
const DIGEST_METHODS: readonly string[] = [
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]

/** SAML core §5.4.4 allows only these transforms. */
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
const EXCLUSIVE: readonly string[] = [
  'http://www.w3.org/2001/10/xml-exc-c14n#',
  'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
]

export function inspectResponse(
  xml: string,
  expected: { entityId: string; acsUrl: string },
): ResponseOutcome {
  const parsed = parseXml(xml, RESPONSE_ELEMENTS_MAX)
  if (!parsed.ok) return refused('unreadable')
  const { root } = parsed
  if (!isNamed(root, SAMLP, 'Response') || attributeOf(root, 'Version') !== '2.0') {
    return refused('not_a_response')
  }
  const all = everyElement(root)
  const refusal =
    refuseEnvelope(root, expected) ?? refuseContents(root, all) ?? refuseSignatures(root, all)
  if (refusal !== undefined) return refused(refusal)
  const assertionId = idOf(childrenNamed(root, SAML, 'Assertion')[0])
  if (assertionId === undefined) return refused('one_assertion_needed')
  return { ok: true, assertionId, inResponseTo: attributeOf(root, 'InResponseTo') }
}

/** The envelope is usually unsigned, so these checks only refuse; nothing in it is trusted. */
function refuseEnvelope(
  root: Element,
  expected: { entityId: string; acsUrl: string },
): ShapeRefusal | undefined {
  const status = childrenNamed(root, SAMLP, 'Status').flatMap((element) =>
    childrenNamed(element, SAMLP, 'StatusCode'),
  )
  if (status.length !== 1 || status.some((code) => attributeOf(code, 'Value') !== SUCCESS)) {
    return 'provider_refused'
  }
  const issuers = childrenNamed(root, SAML, 'Issuer')
  if (issuers.some((issuer) => textOf(issuer) !== expected.entityId)) return 'wrong_issuer'
  const destination = attributeOf(root, 'Destination')
  return destination === undefined || destination === expected.acsUrl
    ? undefined
    : 'wrong_recipient'
}

function refuseContents(root: Element, all: readonly Element[]): ShapeRefusal | undefined {
  // Compares local names, so that a reader that ignores namespaces finds no other assertion either.
  if (all.some((element) => element.localName?.startsWith('Encrypted'))) return 'encrypted'
  const assertions = all.filter((element) => element.localName === 'Assertion')
  const [assertion] = childrenNamed(root, SAML, 'Assertion')
  if (assertions.length !== 1 || assertion === undefined) return 'one_assertion_needed'
  const ids = all.flatMap((element) =>
    ['ID', 'Id', 'id', 'xml:id'].flatMap((name) => attributeOf(element, name) ?? []),
  )
  return new Set(ids).size === ids.length ? undefined : 'signature_shape'
}

function refuseSignatures(root: Element, all: readonly Element[]): ShapeRefusal | undefined {
  const signatures = all.filter((element) => element.localName === 'Signature')
  const [onAssertion, ...others] = childrenNamed(root, SAML, 'Assertion').flatMap(signaturesOn)
  const onRoot = signaturesOn(root)
  if (onAssertion === undefined) return 'assertion_not_signed'
  const expected = [onAssertion, ...onRoot]
  if (others.length > 0 || onRoot.length > 1 || signatures.length !== expected.length) {
    return 'signature_shape'
  }
  return expected.map(refuseSignature).find((refusal) => refusal !== undefined)
}

type Placed = { signature: Element; parent: Element }

function signaturesOn(parent: Element): Placed[] {
  return childrenNamed(parent, XMLDSIG, 'Signature').map((signature) => ({ signature, parent }))
}

/** Requires exactly the elements of XML-DSig, in order, and one reference, to the parent. */
function refuseSignature({ signature, parent }: Placed): ShapeRefusal | undefined {
  const [signedInfo, value, keyInfo, ...rest] = elementsOf(signature)
  if (
    rest.length > 0 ||
    !isDsig(signedInfo, 'SignedInfo') ||
    !isDsig(value, 'SignatureValue') ||
    (keyInfo !== undefined && !isDsig(keyInfo, 'KeyInfo'))
  ) {
    return 'signature_shape'
  }
  const [canonical, method, reference, ...more] = elementsOf(signedInfo)
  if (
    more.length > 0 ||
    !isDsig(canonical, 'CanonicalizationMethod') ||
    !isDsig(method, 'SignatureMethod') ||
    !isDsig(reference, 'Reference') ||
    !isPlain(signature)
  ) {
    return 'signature_shape'
  }
  if (!SIGNATURE_METHODS.includes(algorithmOf(method))) return 'weak_signature'
  if (!EXCLUSIVE.includes(algorithmOf(canonical))) return 'signature_shape'
  return refuseReference(reference, parent)
}

function refuseReference(reference: Element, parent: Element): ShapeRefusal | undefined {
  const [transforms, digestMethod, digestValue, ...rest] = elementsOf(reference)
  const id = idOf(parent)
  if (
    rest.length > 0 ||
    id === undefined ||
    attributeOf(reference, 'URI') !== `#${id}` ||
    !isDsig(transforms, 'Transforms') ||
    !isDsig(digestMethod, 'DigestMethod') ||
    !isDsig(digestValue, 'DigestValue')
  ) {
    return 'signature_shape'
  }
  if (!DIGEST_METHODS.includes(algorithmOf(digestMethod))) return 'weak_signature'
  const [first, second, ...more] = elementsOf(transforms).map(algorithmOf)
  const isAllowed = first === ENVELOPED && more.length === 0 && EXCLUSIVE.includes(second ?? '')
  return isAllowed ? undefined : 'signature_shape'
}

function isDsig(element: Element | undefined, name: string): element is Element {
  return element !== undefined && isNamed(element, XMLDSIG, name)
}

function algorithmOf(element: Element): string {
  return attributeOf(element, 'Algorithm') ?? ''
}

/** Refuses quotes, which could escape the XPath query with which verifiers look up the id. */
function idOf(element: Element | undefined): string | undefined {
  const id = element === undefined ? undefined : attributeOf(element, 'ID')
  return id !== undefined && /^[A-Za-z_][\w.-]{0,255}$/.test(id) ? id : undefined
}

function refused(refusal: ShapeRefusal): ResponseOutcome {
  return { ok: false, refusal }
}
