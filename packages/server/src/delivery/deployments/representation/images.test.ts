import { expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { finishedDeployment } from '../../../testing/resources.ts'
import type { Release } from '../types/release.ts'
import { imageAddress, imagesOf } from './images.ts'

const digest = `sha256:${'ab'.repeat(32)}`

test(
  'an image reference is parsed as container runtimes parse it',
  everyCase(
    [
      ['nginx', { registry: 'docker.io', repository: 'library/nginx', tag: 'latest' }],
      ['shop/web:1.2', { registry: 'docker.io', repository: 'shop/web', tag: '1.2' }],
      ['docker.io/nginx:1', { registry: 'docker.io', repository: 'library/nginx', tag: '1' }],
      ['localhost/web', { registry: 'localhost', repository: 'web', tag: 'latest' }],
      [
        'registry.example.com:5000/a/b/web:7',
        { registry: 'registry.example.com:5000', repository: 'a/b/web', tag: '7' },
      ],
      [`ghcr.io/shop/web@${digest}`, { registry: 'ghcr.io', repository: 'shop/web', digest }],
      [`ghcr.io/shop/web:1@${digest}`, { registry: 'ghcr.io', repository: 'shop/web', tag: '1', digest }],
    ],
    (reference, parts) => {
      expect(imageAddress(reference)).toEqual({ reference, ...parts })
    },
  ),
)

const { release, data } = finishedDeployment
const registering = (containerDefinitions: unknown): Release => ({
  ...release,
  taskDefinition: { register: { containerDefinitions } },
})

test('the images of a release are those of all its containers', () => {
  const containers = [{ image: 'shop/web:1' }, { image: 'shop/proxy:2' }]
  const found = imagesOf(registering(containers), { ...data, events: [] })
  expect(found?.map(({ repository }) => repository)).toEqual(['shop/web', 'shop/proxy'])
})

test('the images of a release are unknown if the release does not name all of them', () => {
  expect(imagesOf(registering([{ image: 'shop/web:1' }, {}]), { ...data, events: [] })).toBeUndefined()
  expect(imagesOf({ ...release }, { ...data, events: [] })).toBeUndefined()
})
