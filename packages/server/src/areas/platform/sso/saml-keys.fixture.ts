import { createPrivateKey, type KeyObject } from 'node:crypto'

/**
 * Keys and self-signed certificates for tests only; they protect nothing. Their dates are fixed,
 * because tests set the clock.
 */
export type SigningPair = {
  privateKey: KeyObject
  /** DER as base64, as in metadata. */
  certificate: string
}

/** Valid from 2020 to the end of 2099. */
export const CURRENT: SigningPair = pair(
  [
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC5xlhSvr+Kt/Xi61sx+95ko7ptnDsO5uPy/VtFUk',
    'WXkZUpE+C+sa7QdpYo1B0MAzf6SnXnFtLo47mNBO6QZUoj0CQIuXD3Wuwxu2YIf7jGZ7wcTaTz2pJDQD5ucMGGouuY',
    'uL+q698qHUW1zomUFoLCgk63CUfTB2myRtAOt3/kBji7IIcXb/D9DkdW4yue9V1gsTwNcrxtlg0oiE3RQqi2yjVRXk',
    'uOuBgn69PWjL9cEDmDEXc38Eh5nnn8gYwZe9S2tEckhSWPc+QhOxFdThQEP/hEl0Vm7JUTWOOOTDRJKot4jXp/KNQR',
    '/4cc4h0Z6q2flspvoZVRUa9g9ZK/KZkzAgMBAAECggEAHky0YSKNWRGyAAXFBP0Ag8eUg4Ykt8R+z0X1WfQWN6dd/a',
    'opUNDoI0YELbqS1j+8JI16d2tokOV7gP2Z72El23t6NRYRz7Y7qczX0nEKcQnAS5l6Wu9+RYu34wlu9wehh3IyiK0Z',
    '4+OMWB/MnqOhRho8vmu8FDY0TghwrMXPDSCS8vkgSo4F/mJlGLkYwU4qT2jtvk2jsnZSu/MPIR67m8JSXBVfyAwE4m',
    'u53+rCDLcvycbZDSEV8Lj7sVc7QpOYldvJENsvYzuxvRkuYRqMMBoUoFLHpoKbTXbChnkz3TkNhaPeu0gncau69CoX',
    'KP7JID+f1vn3e05lUL86FsrX8QKBgQD3RbqgaV8TvT1Lg9OYbBhr1e59aEu+ctbC8KNTunZRfLV5E6HtlEBPhsV22i',
    '5O3zdsruJx1y9/vq/9yi74LLSDRvrXD0ytFnieEQF5Pf6rnW+iaVMz57GwZ+MNILCsbfF0nnQyusqgz80Uw2JMcDbc',
    'MmNUXEZ5Pu5+tCmpZ3kcGQKBgQDAVPG2ybJMDjT2exag9dEY+UJ3MnijHH35VUkuZCjXcU+gCt9osqWmOhpbdimnm+',
    'FWkLnEQkL5ThrzODdO+lZwReAF2ZRWHlRR5kprZq64pFvHJ1ImyA4u78OH/J5fZRSSZIT/dXS4O3ym/nDc0868HEGp',
    'UFxeNvxbyAO39R0JKwKBgQCLUKIBVtzWhjxOm4tPyTdJKlMgHO7v8kvFsUaUGe4noxeri8Aj1u8U313JxMtqbKERfs',
    'beVNrSImGNn6gu8yERBaC2IkyVCKAUjohCAwfFMQKAgs7544RdW2q1LsHbpGXxyoS1QECBshJdrGdpoZ+HGGyWTxb1',
    'oNtGT8NZSo8VoQKBgGJeT64sZKuvjHkQJVe3wfUi71KllrveA7Q1YZN/mL/v7UiupusWi9CD4R0sR0u5Vzv+E3UEat',
    'q1juUcuHUFZpZPtq9nRA3zvy6QOTnLL8uyDFrEiqjZIx/wczInCx1BRo9FKBy8BzF/A1cpxbG8Bv2A+jhNqKBrQRD0',
    'MKqyi+I3AoGAIxX4RfxNVZBI7H1lkph5apVcmNkKl8GCwkTZgbWUHd/VEQLjsS5xB5hUPPXgV0ITn9ZxWYP+yfy7RE',
    'u4HracFEnkorLl7BMEhdKNlJDWdrGvaA9OmJas+c0Z7ueKG66ZbNzCRzcnZQUAqhqXTJEY6fvws1K8xvGSyh9ti4QS',
    'UWU=',
  ],
  [
    'MIICrDCCAZQCAQEwDQYJKoZIhvcNAQELBQAwGzEZMBcGA1UEAwwQaWRwLmV4YW1wbGUudGVzdDAgFw0yMDAxMDEwMD',
    'AwMDBaGA8yMDk5MTIzMTIzNTk1OVowGzEZMBcGA1UEAwwQaWRwLmV4YW1wbGUudGVzdDCCASIwDQYJKoZIhvcNAQEB',
    'BQADggEPADCCAQoCggEBALnGWFK+v4q39eLrWzH73mSjum2cOw7m4/L9W0VSRZeRlSkT4L6xrtB2lijUHQwDN/pKde',
    'cW0ujjuY0E7pBlSiPQJAi5cPda7DG7Zgh/uMZnvBxNpPPakkNAPm5wwYai65i4v6rr3yodRbXOiZQWgsKCTrcJR9MH',
    'abJG0A63f+QGOLsghxdv8P0OR1bjK571XWCxPA1yvG2WDSiITdFCqLbKNVFeS464GCfr09aMv1wQOYMRdzfwSHmeef',
    'yBjBl71La0RySFJY9z5CE7EV1OFAQ/+ESXRWbslRNY445MNEkqi3iNen8o1BH/hxziHRnqrZ+Wym+hlVFRr2D1kr8p',
    'mTMCAwEAATANBgkqhkiG9w0BAQsFAAOCAQEAF0kBppiilh6ewRy5Q3iZTzVs3Hw0CBGcIGntoIB8rwTRWmafC1Rg29',
    'nL61Y3swZIpd9phm2R1Y8FfNS42cUppr0YKdoRWgcFNdIVBr88+QFsaRuabNkTu/3GbLTH0v+WzpQMzpUNl7T1+VMY',
    '6J//uhhz02+ZWywt+A/q+N0x86pz8cGeRK/NrCFqAUYel7WizrFeZQXpoMe4eH9PbeEWxJb317hkk25vubGVzvbD/f',
    'CgjLXedUrXNI0P9payJEzgmgKfdG5jSRI9Aa2+SjRrAIRJpuyvGBzXJDpLjTVMSVx3JW0nfwihcLUbDXUc4WvwaHcu',
    'JgDQ0qYmCbazH5ov1Q==',
  ],
)

/** Valid from 2020 to the end of 2090. */
export const ROLLOVER: SigningPair = pair(
  [
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCKHrDeWeVHkBh9QvqVb4SSFbwtph8Pnn8PT7VlDc',
    '8fueSR0UnWQ8AM16l0fhvS8f9DxKnuN1pYVW7FkNYT1x210cQWe9kQXJbbnWr6zO/7EXdV5CeF/r43n3tn5iYqUaPl',
    'oHLUTfQx9ItdpYN2JJW1FHetedZ4dXopJ+XzTO3+m9nRVqBAAGopaF3waJDtP8QDDcvEPesJg9MH58GOkjF0MA4rbx',
    'hwt/MGxf0qQ9lccPxWjPZTahNj7F0hc/YvFharofKRqbXpG9pxPbPfXOti5QThgPi/BCD7LD2pZl8LIrZLptTL7cE+',
    'H7g6cZDksRfZBdH9v+frHMcqKg77Hxd5AgMBAAECggEAAoZZGVdvV4WMzQ1iY0TsmXcIP5Vfz/tHu1HrsPM1rBDL2t',
    'aGkQIgCpwOnvCHNa3yypxXtuEQJ7k4Eyh4oVg3VNGG0hpld2UZ5N3VzMvePyqskcdf6ZUkiQPDT7znSbLAWjw6nSLn',
    'qdocihOyeYBltC+xmFw3zW/oUcRG8dGgMB1GWAPGqeluF7ZkdpOFwIpS7b4j8+Xlnu/jhGaKsM4I4aLfWkZhuGgePO',
    'sohmwU9hZSytv6RWlaqAiW9xN28iNxf6h45RZILnsn7MTUJQKBhD66rRyNj1NgDgz1C9B+R6daU1y4TyStbgoJo6SU',
    'dyq3KksDoBoteY4cH9vlCRDJeQKBgQC+ERDGT1IN6gkfsABbHhVwXZOPJ4ravf2Hg6QkPpjU7bWj225U3105lDcMIT',
    'geKYuFK7TXZ1DW+mm9vANYaHeKpwNM0KE0sdckezFUjI65Bq5gFBGoek5IRCetGz5j6YpOG6p2m+8KEeWkNEI6nyW2',
    '2UGnYbdgRucnJlZF81v7wwKBgQC6CHlrUNJCXFSFarh8vaBllQI1VqQ1THvw2boxUzz0UK5YHg5w6kijAJPC99IqtW',
    'ZYkhr6TFbDmEFyl8dem8xaolQqVe/fgOtNRPPRCnB8/bXOStJSbmTG4z+8aRKXhUDMd/1K/BJAormBgF5TVYhQ+HZm',
    'oaGfNFMuxCTL0Rh4EwKBgQCFr1stIP2F6+ce8pxNeot5zVfMiPORh7CbcGwzUhQNMGViKyUfbTwVE7rkPTlLfc00jd',
    'lU6MZjbx6Q5X004cWzMGWR0eyRM8UvU7cO0Q5R9fEQgw0og14sVkPR7iej/s/YwHzVkDhBzPTI2jj7IpVUVttm78Qb',
    'Y8OSNdTYvqMkIQKBgFUZKUmw9+2JRNSfA/Nz3tp49kCl+Im1CgEb5/NGS1zLR2VhomN+mGmQCwely4rj3gRoGVUj9J',
    'CWpmGgEoAxrqJLHUsccpT/6SM4hnu6VcinWjIawekZPJpKO86ZFfsf5oth3AkgE81jYo5dxUhDmQ7JCYhbKY6lJeP/',
    'r4FYjePnAoGAZFhO/GFpoEkzdRcrtZXjrcnzYB7wNKPxw4dN7wv/OhTnH9bIpcCQwd7Nq3DT/sgVuwtSBk99zal1vW',
    '9I0RjnGke3iyi92zl5jQ1jCFFYTX5Brz8F+JnyCabb4tP8FGlPAYtKo2V0/dLV57LY5OR9aFoBXjURh/4e6u7uh11f',
    'HP4=',
  ],
  [
    'MIICrDCCAZQCAQIwDQYJKoZIhvcNAQELBQAwGzEZMBcGA1UEAwwQaWRwLmV4YW1wbGUudGVzdDAgFw0yMDAxMDEwMD',
    'AwMDBaGA8yMDkwMTIzMTIzNTk1OVowGzEZMBcGA1UEAwwQaWRwLmV4YW1wbGUudGVzdDCCASIwDQYJKoZIhvcNAQEB',
    'BQADggEPADCCAQoCggEBAIoesN5Z5UeQGH1C+pVvhJIVvC2mHw+efw9PtWUNzx+55JHRSdZDwAzXqXR+G9Lx/0PEqe',
    '43WlhVbsWQ1hPXHbXRxBZ72RBcltudavrM7/sRd1XkJ4X+vjefe2fmJipRo+WgctRN9DH0i12lg3YklbUUd6151nh1',
    'eikn5fNM7f6b2dFWoEAAailoXfBokO0/xAMNy8Q96wmD0wfnwY6SMXQwDitvGHC38wbF/SpD2Vxw/FaM9lNqE2PsXS',
    'Fz9i8WFquh8pGptekb2nE9s99c62LlBOGA+L8EIPssPalmXwsitkum1MvtwT4fuDpxkOSxF9kF0f2/5+scxyoqDvsf',
    'F3kCAwEAATANBgkqhkiG9w0BAQsFAAOCAQEAd+1HsOFPY5Ut2pfeCFYGGTCJMnoEtAI3jTacuE3KHWbKmfNsT8SwYZ',
    'tTrcBVYj0W5DVYicxP4xQR29HMFg/N6cV5kQQI5AzoETPEGdF1RBEK13EaJuuzreCM61ti6scYbmYYui7hfEM2Jrk3',
    'u5Kv/kE4OoMqbJMmuaT1iS9FuQ4GQpgsdvMq1/9vG5rj36HnY2tKSQnBRD6zwzeQvPi5QcV3BicwGsqCoS5+/INeCA',
    'ozrMIzrE4hnXVkecJrIClo0Ii5DYs+/ST8zSdmsnZzC4rU8d74K8TJqSdDffhVh0LWo7agOGgQi82yZKClSuPrHnTi',
    'Msjsa5mwFrUwACdHBg==',
  ],
)

/** Valid in 2020 only. */
export const EXPIRED: SigningPair = pair(
  [
    'MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC+0Ilv4y1WmvrGP+ot23zccC/VfOoRdxFQeWJ95Q',
    '/NidCsfKGFsb/iW3kmC6Eqq1x3bu+1sTkxoPIgG7tTtz4npGpqwUivLpMu/Z9fwzSXcIxPVG8WINOpwTBUwtnKezBX',
    'K+ZNgmFdocwzH64m3mRKOtn7IJvypqsaDn9xlwkkfuPZM/2jVmibh0Ix6Ibg109dUcd37K0OALhJeblEJlNGGQIT53',
    'RSCiOcIvfbKf7+K6CjdKjfWsp7UKKecPkvZ/tlSSnxdetddAuLEBa9o3OAqLfpPGWgl4gF9RnFDJv+QCBNsLbqLwKz',
    'b/Jeo/mYNsxTpRZm5wG1ghv/TgmnVqq7AgMBAAECggEASDd9pJp6yMnL+mcrNqLYvUc6W1a08do589aU96fPVM+Bah',
    '6bNRHCWSWcktEY9KC5VLxoPcAusMFEkfFc8wCppfA8lF3FqAN9Ee5MOL6U83HVsJp4lovi/97Nb271ZYQ9FejX92LO',
    'fdTkBz9Ito45r7xZTomXa/03SZvOEQwEGkrCRnn+RRjGmuHiEvwvNaz5TqjTMaWpxjWj5y0cQ5aBDaMNiX7r2eW1Ws',
    'ELZ1SRcTy6CgDaewS71uBmHVN9gANSg8vP2zfuDMRGYSMU9spEc/m59AHlogIuBnXLE+LALxWSAF9bVUyQdHTyqZ8C',
    'ToM/EfjF/dbCFm81XgD+65gPtQKBgQDrnM0faAgfR7oy8rkfW3nYj+XRLUOUFhBqd8ufnTjxwzQaz4YeF/m/yYMqkY',
    'l2/61fCzxdrEjHL7dZ+XXpOqoWw3iqdxX0I/QXN06iVoxzdjF+hhQ92Bi5S/q2RzJAz0mPG26+738PUFKQi4+gpa4D',
    '6pnfj2k9SY9FoszcqOOcNQKBgQDPU2OtI2giNBg6j47p/zQ93qbHTMMqEmnK8viBfFWaJvUoSNbhagk20rKQZ5L4u9',
    'fAxOVfvrko54Mqaq5GY7yqIsn715Oqp8MfbdkO3WNfvF/OaA5HZdPL5aS6Y3K4l2EcewCfnlW/JDQPwrQIDix5mzYU',
    'Bwcdy6NIv4gzN3apLwKBgQDUNGuCx93Y3m9Th8038tmxNRlV5qCg9aZfXfnljmNFS/zX0OUIoattEv+yDVZz+R+bJL',
    'F/5LW/wLgwrz+FijK7Qd6iGZOKSf+EEWofSDhDncZCIFyGvuS1rzrlhQY73PZxj9GU4nvbvQo/6ZK4q8ApAtkHw1CT',
    'xHbnzxMYAnzNqQKBgQC1NgvPTz07eBEdTlD50agV08AuPrfu0/1H+Cqg8s3XWOm69j9q8sVu96Y/dWgOpBCmWvKpRw',
    'iL6h7JOkltGMvUYWfuCbT12oA/vkGULoknKn0K6gRg/22pr+TVTQr+sMGepRwcZ8ZGtRwUEnhM+iaBe9o+kw3zSwRD',
    'F7WyHm5G3QKBgDgCZnDH6FAeqvaUuWme3CPOyvpx8ipVJl4nfrmiyBGyhjoeEhvzkcP9PaSEJ+mSFA3ic2gRjjWtBS',
    'WVZV9O8ltXJHkIafXa94pbofA0Ttgtu8hm8BA1ItspOMnqnc03FNENlKRj9QL23KqluaVBZdXavKXbDprYXhzC93hB',
    '6VYn',
  ],
  [
    'MIICqjCCAZICAQMwDQYJKoZIhvcNAQELBQAwGzEZMBcGA1UEAwwQaWRwLmV4YW1wbGUudGVzdDAeFw0yMDAxMDEwMD',
    'AwMDBaFw0yMTAxMDEwMDAwMDBaMBsxGTAXBgNVBAMMEGlkcC5leGFtcGxlLnRlc3QwggEiMA0GCSqGSIb3DQEBAQUA',
    'A4IBDwAwggEKAoIBAQC+0Ilv4y1WmvrGP+ot23zccC/VfOoRdxFQeWJ95Q/NidCsfKGFsb/iW3kmC6Eqq1x3bu+1sT',
    'kxoPIgG7tTtz4npGpqwUivLpMu/Z9fwzSXcIxPVG8WINOpwTBUwtnKezBXK+ZNgmFdocwzH64m3mRKOtn7IJvypqsa',
    'Dn9xlwkkfuPZM/2jVmibh0Ix6Ibg109dUcd37K0OALhJeblEJlNGGQIT53RSCiOcIvfbKf7+K6CjdKjfWsp7UKKecP',
    'kvZ/tlSSnxdetddAuLEBa9o3OAqLfpPGWgl4gF9RnFDJv+QCBNsLbqLwKzb/Jeo/mYNsxTpRZm5wG1ghv/TgmnVqq7',
    'AgMBAAEwDQYJKoZIhvcNAQELBQADggEBAFfLoHM7sOyVHr7GNKSNjTB6tjQdHaxzRo2IVuEHKgtCPOmvovgSINi3kq',
    'ZdKYoo4HMixR2JVZIC2CYKS55pMl87WXGZA9qG5Dm1cIJWjykeGXt8PVGqgjz4+MXnBFcg5AFVqzJT19kqXC/+vcLW',
    'F1F3iUDW7nX53G1ckai/80fCOeAp1+jKUzgJwOl1bgKaGCxoLHT1wNupwoku51YVSFtBKqJfe0dIflmgYwiygMktXZ',
    'RLlfGhQSUrZy6Wg2mcq7kVsg3wPhKVr+UL6aqrRcrwqqm1fseLuri0rwNvlvcDu+F8k2q+CIXsKhvnTNiAbT8IN3rA',
    'A2d6JXDxUAfF1gA=',
  ],
)

/** An elliptic-curve certificate, which cannot carry an RSA signature. */
export const ELLIPTIC_CERTIFICATE = [
  'MIIBHzCBxgIBBDAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBpZHAuZXhhbXBsZS50ZXN0MCAXDTIwMDEwMTAwMDAwMF',
  'oYDzIwOTkxMjMxMjM1OTU5WjAbMRkwFwYDVQQDDBBpZHAuZXhhbXBsZS50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0D',
  'AQcDQgAEvwTa0RsRTPoavBm8XlrpeQaNTw9rXTHAvx7zmGeIwn0QrRLgUXTWhB0sHrz8l7cwaUuC/Y+SoBELR5NtNB',
  'BSMjAKBggqhkjOPQQDAgNIADBFAiEAuwg8qo4MEwpZDlMaNNDlHBgwCiwmJe/Lb7lhRe5pW8wCIDC+MXzYNXBypE/4',
  'x3JwpsSbuF+NjqYVFS4GmCakVlmv',
].join('')

function pair(key: readonly string[], certificate: readonly string[]): SigningPair {
  const der = Buffer.from(key.join(''), 'base64')
  return {
    privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
    certificate: certificate.join(''),
  }
}
