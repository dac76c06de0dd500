import { type Static, Type } from 'typebox'
import { LookMeta } from '../delivery/observation.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const ImageRepositoryName = Type.String({
  pattern: '^[a-z0-9][a-z0-9._/-]*$',
  maxLength: 256,
  examples: ['shop/web'],
  description: 'The name of a repository of images in the account.',
})

export const ImageRepository = Type.Object(
  {
    name: Type.String({ description: 'Within the registry.' }),
    address: Type.String({
      description: 'Where images are pulled from, without tag.',
      examples: ['123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop/web'],
    }),
  },
  { ...closed, description: 'A repository of images.' },
)
export type ImageRepository = Static<typeof ImageRepository>

export const ImageRepositories = Type.Object(
  { data: Type.Array(ImageRepository, { description: 'By name.' }), meta: LookMeta },
  { ...closed, description: 'The repositories of images of one region of a cloud account.' },
)
export type ImageRepositories = Static<typeof ImageRepositories>

export const Image = Type.Object(
  {
    digest: Type.String({ description: 'What the image is, whatever its tags come to mean.' }),
    tags: Type.Array(Type.String(), { description: 'What it is called.' }),
    pushedAt: Type.Optional({ ...UtcDateTime, description: 'When it was brought to the repository.' }),
    bytes: Type.Optional(Type.Integer({ description: 'How large it is, compressed.' })),
  },
  { ...closed, description: 'An image that has a tag.' },
)
export type Image = Static<typeof Image>

export const Images = Type.Object(
  { data: Type.Array(Image, { description: 'The newest first.' }), meta: LookMeta },
  { ...closed, description: 'The images of a repository.' },
)
export type Images = Static<typeof Images>
