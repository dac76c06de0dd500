import { type Static, Type } from 'typebox'
import type { FreeFormObject } from '../values/free-form.ts'
import { mostArtifactFiles } from './constants.ts'

const closed = { additionalProperties: false } as const

/** What a build is made of. */
const built = {
  /** The commit that the ref stood for. */
  commit: Type.Optional(Type.String({ maxLength: 64 })),
  /** The same for the same files. */
  tree: Type.String({ minLength: 1, maxLength: 128 }),
}

const buildSeconds = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })

/** Asks whether the same was built before. */
export const FindArtifact = Type.Object(built, closed)
export type FindArtifact = Static<typeof FindArtifact>

/** An artifact that is there: what the step gives back, and a line for its log. */
export type ArtifactThere = {
  output: FreeFormObject
  said: string
  /** What is put beside an image in its registry; absent from a server that is older than the runner. */
  attached?: Attached
}

export type ArtifactFound = { artifact?: ArtifactThere }

/** What a build came to. Sent again until nothing of it is missing where it is published. */
export const PublishArtifact = Type.Object(
  {
    ...built,
    files: Type.Array(
      Type.Object(
        {
          /** Relative to the artifact, with slashes; without meaning where it is one archive. */
          path: Type.String({ minLength: 1, maxLength: 1_024 }),
          sizeBytes: Type.Integer({ minimum: 0 }),
          /** In hex. */
          sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
          /** Whether a manifest of the build tool says that the name is made of the content. Absent: no. */
          isContentHashed: Type.Optional(Type.Literal(true)),
        },
        closed,
      ),
      { minItems: 1, maxItems: mostArtifactFiles },
    ),
    buildSeconds,
  },
  closed,
)
export type PublishArtifact = Static<typeof PublishArtifact>

export type ArtifactFile = PublishArtifact['files'][number]

/** A request that stores one file, signed for its content alone: good for some minutes. */
export type SignedUpload = { path: string; url: string; headers: Record<string, string> }

export type ArtifactPublished = { uploads: SignedUpload[] } | { artifact: ArtifactThere }

/** An image that was built. Sent again until the registry has it. */
export const PublishImage = Type.Object({ ...built, buildSeconds }, closed)
export type PublishImage = Static<typeof PublishImage>

/** A repository of a registry, and as whom it is written to. */
export type InRegistry = {
  /** The registry's address, with its protocol. */
  endpoint: string
  repository: string
  username: string
  password: string
  /** Whether the cloud account gives the address: its registry may be inside a private network. */
  isCloudAccounts?: boolean
}

/** Where an image is pushed to, and as whom. */
export type ImagePush = InRegistry & { tag: string }

/** A statement about an image, whose digest it goes by. */
export type Attached = InRegistry & { digest: string; mediaType: string; statement: string; predicateType: string }

export type ImagePublished = { push: ImagePush } | { artifact: ArtifactThere }
