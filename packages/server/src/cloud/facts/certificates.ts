/** Certificate as the cloud returns it. */
export type CertificateFacts = {
  names: string[]
  status: 'PENDING_VALIDATION' | 'ISSUED' | 'EXPIRED' | 'FAILED'
  /** Failure reason from the cloud. */
  reason?: string
  issuedAt?: Date
  expiresAt?: Date
  inUseBy: string[]
  /** Whether renewal waits for missing DNS records. */
  isRenewalStuck: boolean
  /** Validation records, once the cloud returns them. */
  proofs: ValidationRecord[]
}

/** DNS record that validates domain names. */
export type ValidationRecord = { names: string[]; name: string; type: string; value: string; isValidated: boolean }

/** Public hosted zone. Its name is fully qualified, with a trailing dot. */
export type Zone = { id: string; name: string }

/** Result of looking up a record: the same record, another one under its name, or none. */
export type ObservedRecord = 'same' | 'another' | 'none'
