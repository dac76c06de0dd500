/** What the cloud says of a certificate. */
export type CertificateFacts = {
  names: string[]
  status: 'PENDING_VALIDATION' | 'ISSUED' | 'EXPIRED' | 'FAILED'
  /** The cloud's own word for why it failed. */
  reason?: string
  issuedAt?: Date
  expiresAt?: Date
  inUseBy: string[]
  /** Whether its renewal waits for records that do not stand. */
  isRenewalStuck: boolean
  /** Those that prove its names, as far as they are told. */
  proofs: Proof[]
}

/** A DNS record that proves names. */
export type Proof = { names: string[]; name: string; type: string; value: string; isValidated: boolean }

/** A public zone of an account, named in full with a dot at the end. */
export type Zone = { id: string; name: string }

/** What stands in a zone under the name of a record: that record, another one, or nothing. */
export type RecordSeen = 'same' | 'another' | 'none'
