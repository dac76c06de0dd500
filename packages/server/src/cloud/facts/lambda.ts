/** Lambda function and the alias that callers use. */
export type FunctionPlace = {
  /** ARN without a version or alias. */
  functionArn: string
  aliasName: string
}

/** Location of a function's code. */
export type CodeSource = { s3Bucket: string; s3Key: string } | { imageUri: string }

/** Returns the location of the code for display. */
export const addressOf = (code: CodeSource): string =>
  'imageUri' in code ? code.imageUri : `s3://${code.s3Bucket}/${code.s3Key}`

/** Versions to which an alias routes calls: one, or two that split them. */
export type Routing = {
  version: string
  additionalVersion?: string
  /** Share of the additional version, from 0 to 1. */
  additionalWeight?: number
}

/** State of an alias. Every write changes `revisionId`. */
export type AliasState = Routing & { revisionId: string }

/** Version of a function, `$LATEST` or a published one. */
export type VersionFacts = {
  version: string
  codeSha256: string
  revisionId: string
  /** `Pending`, `Active`, `Inactive` (idle, restarted on the next call) or `Failed`. */
  state: string
  stateReason?: string
  /** Status of the last code or settings change: `InProgress`, `Successful` or `Failed`. */
  update: string
  updateReason?: string
  /** Image address with the digest that its tag resolved to. */
  resolvedImageUri?: string
}

/** Settings that must be equal for an alias to split traffic between two versions. */
export type VersionIdentity = { role?: string; deadLetterTarget?: string }

/** Data that decides whether an alias can split traffic between its version and another. */
export type SharingFacts = {
  /** Whether the alias has provisioned concurrency; absent if the role may not read it. */
  isProvisioned?: boolean
  running: VersionIdentity
  /** Version to release, or the unpublished function. */
  next: VersionIdentity
}

export const isSameRouting = (one: Routing, other: Routing): boolean =>
  one.version === other.version &&
  one.additionalVersion === other.additionalVersion &&
  percent(one.additionalWeight ?? 0) === percent(other.additionalWeight ?? 0)

/**
 * Reports whether an alias has been set to `target` but still routes all calls to `from`, as with provisioned
 * concurrency until the new instances are ready.
 */
export const isMovingTo = (alias: Routing, target: Routing, from: string): boolean =>
  target.additionalVersion === undefined &&
  alias.version === target.version &&
  alias.additionalVersion === from &&
  alias.additionalWeight === 1

/** Describes the routing, such as `version 6, and version 7 for 10 % of the calls`. */
export function describeRouting({ version, additionalVersion, additionalWeight = 0 }: Routing): string {
  if (additionalVersion === undefined) return `version ${version}`
  return `version ${version}, for ${percent(additionalWeight)} % of the calls version ${additionalVersion}`
}

/** Converts a weight to percent with at most two decimals: 0.055 is 5.5. */
export const percent = (weight: number): number => Math.round(weight * 10_000) / 100

/** Existing function with the settings needed to import it. */
export type ExistingFunction = {
  functionArn: string
  name: string
  packageType: 'zip' | 'image'
  aliasNames: string[]
  logGroup?: string
  /** Image address as configured, possibly with a tag. */
  imageUri?: string
  /** Alias used for releases, if known. */
  aliasName?: string
  alias?: AliasState
  /** Version to which the alias points. */
  version?: VersionFacts
}
