import { type Static, Type } from 'typebox'
import { ObservationMeta } from '../delivery/observation.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const ImageRepositoryName = Type.String({
  pattern: '^[a-z0-9][a-z0-9._/-]*$',
  maxLength: 256,
  examples: ['shop/web'],
  description: 'Name of an image repository in the account.',
})

export const ImageRepository = Type.Object(
  {
    name: Type.String({ description: 'Name within the registry.' }),
    address: Type.String({
      description: 'Address from which images are pulled, without a tag.',
      examples: ['123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop/web'],
    }),
  },
  { ...closed, description: 'Image repository.' },
)
export type ImageRepository = Static<typeof ImageRepository>

export const ImageRepositories = Type.Object(
  { data: Type.Array(ImageRepository, { description: 'Image repositories by name.' }), meta: ObservationMeta },
  { ...closed, description: 'Image repositories in one region of a cloud account.' },
)
export type ImageRepositories = Static<typeof ImageRepositories>

export const Image = Type.Object(
  {
    digest: Type.String({ description: 'Digest of the image.' }),
    tags: Type.Array(Type.String(), { description: 'Tags of the image.' }),
    pushedAt: Type.Optional({ ...UtcDateTime, description: 'Time when the image was pushed.' }),
    bytes: Type.Optional(Type.Integer({ description: 'Compressed size in bytes.' })),
  },
  { ...closed, description: 'Tagged image.' },
)
export type Image = Static<typeof Image>

export const Images = Type.Object(
  { data: Type.Array(Image, { description: 'Images, newest first.' }), meta: ObservationMeta },
  { ...closed, description: 'Images of a repository.' },
)
export type Images = Static<typeof Images>
