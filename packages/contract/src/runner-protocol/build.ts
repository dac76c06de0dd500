import { type Static, Type } from 'typebox'
import type { FreeFormObject } from '../values/free-form.ts'
import { maxArtifactFiles } from './constants.ts'

const closed = { additionalProperties: false } as const

/** Identity of a build. */
const buildIdentity = {
  /** Commit that the ref resolved to. */
  commit: Type.Optional(Type.String({ maxLength: 64 })),
  /** Digest of the source files. */
  tree: Type.String({ minLength: 1, maxLength: 128 }),
}

const buildSeconds = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })

/** Request for an existing artifact of the same build. */
export const FindArtifact = Type.Object(buildIdentity, closed)
export type FindArtifact = Static<typeof FindArtifact>

/** Existing artifact: the output of the step, and a line for its log. */
export type ExistingArtifact = {
  output: FreeFormObject
  said: string
  /** Statements to attach to an image in its registry. Absent in responses from older servers. */
  attached?: ImageAttestation
}

export type FindArtifactResponse = { artifact?: ExistingArtifact }

/** Result of a build. Repeated until all files are uploaded. */
export const PublishArtifact = Type.Object(
  {
    ...buildIdentity,
    files: Type.Array(
      Type.Object(
        {
          /** Path relative to the artifact, with slashes. Ignored for a single archive. */
          path: Type.String({ minLength: 1, maxLength: 1_024 }),
          sizeBytes: Type.Integer({ minimum: 0 }),
          /** SHA-256 hash in hexadecimal. */
          sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
          /**
           * Whether a manifest of the build tool says that the name contains a hash of the content. Defaults to false.
           */
          isContentHashed: Type.Optional(Type.Literal(true)),
        },
        closed,
      ),
      { minItems: 1, maxItems: maxArtifactFiles },
    ),
    buildSeconds,
  },
  closed,
)
export type PublishArtifact = Static<typeof PublishArtifact>

export type ArtifactFile = PublishArtifact['files'][number]

/** Request that uploads one file, signed for its exact content and valid for some minutes. */
export type SignedUpload = { path: string; url: string; headers: Record<string, string> }

export type PublishArtifactResponse = { uploads: SignedUpload[] } | { artifact: ExistingArtifact }

/** Built image. Repeated until the registry has it. */
export const PublishImage = Type.Object({ ...buildIdentity, buildSeconds }, closed)
export type PublishImage = Static<typeof PublishImage>

/** Repository in a registry, with credentials for pushing. */
export type RegistryDestination = {
  /** URL of the registry. */
  endpoint: string
  repository: string
  username: string
  password: string
  /** Whether the address was set by the cloud account, so that the registry can be in a private network. */
  isCloudAccounts?: boolean
}

/** Destination and credentials for pushing an image. */
export type ImagePush = RegistryDestination & { tag: string }

/** Attestation of an image, referenced by the image's digest. */
export type ImageAttestation = RegistryDestination & {
  digest: string
  mediaType: string
  statement: string
  predicateType: string
}

export type PublishImageResponse = { push: ImagePush } | { artifact: ExistingArtifact }
