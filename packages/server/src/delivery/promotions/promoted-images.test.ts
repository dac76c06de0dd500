import type { DeploymentResource } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { finishedDeployment } from '../../testing/resources.ts'
import { imageAddress } from '../deployments/representation/images.ts'
import { releaseOf } from '../deployments/types/lambda/environment.fixture.ts'
import { agreedDigests, namedDigests, pinPromotedImages } from './promoted-images.ts'

const [one, other] = ['ab', 'cd'].map((pair) => `sha256:${pair.repeat(32)}`) as [string, string]
const web = 'ghcr.io/shop/web:2.1.0'

const task = (imageDigests?: Record<string, string>, more: Partial<DeploymentResource> = {}): DeploymentResource => ({
  kind: 'TASK',
  id: 'arn:task',
  name: 'task',
  release: 'NEW',
  ...more,
  ...(imageDigests && { imageDigests }),
})

describe('the digest of an image is known', () => {
  test(
    'if all tasks agree',
    everyCase(
      [
        ['where all tasks agree', [task({ [web]: one }), task({ [web]: one })], { [web]: one }],
        ['not where one ran another', [task({ [web]: one }), task({ [web]: other })], {}],
        ['not where one that runs does not tell', [task({ [web]: one }), task()], {}],
        [
          'where one stopped before it had it',
          [task({ [web]: one }), task(undefined, { until: 'then' })],
          { [web]: one },
        ],
        [
          'whatever the release before ran',
          [task({ [web]: one }), task(undefined, { release: 'PREVIOUS' })],
          { [web]: one },
        ],
        ['not where nothing ran', [], {}],
      ],
      (_, seen, digests) => {
        expect(agreedDigests(seen)).toEqual(digests)
      },
    ),
  )
})

const releasing = (...images: string[]) => ({
  ...finishedDeployment.release,
  taskDefinition: { register: { family: 'web', containerDefinitions: images.map((image) => ({ name: 'a', image })) } },
})
const ran = { addresses: [web, 'proxy:1'], digests: { [web]: one }, whyUnknown: 'Nobody looked.' }

test('a promotion names the images that ran by their digests, and warns about those without', () => {
  const byDigest = `${web}@${one}`
  const { release, images } = pinPromotedImages(releasing(web, 'proxy:1', 'sidecar:3', web), ran)
  expect(images).toEqual([
    { image: byDigest, digest: one },
    { image: 'proxy:1', warning: expect.stringMatching(/^Nobody looked\. .* by its tag/) },
    { image: 'sidecar:3', warning: expect.stringMatching(/^Where the release comes from, no image .* by its tag/) },
  ])
  const containers = [byDigest, 'proxy:1', 'sidecar:3', byDigest].map((image) => ({ name: 'a', image }))
  expect(release.taskDefinition).toEqual({ register: { family: 'web', containerDefinitions: containers } })
  expect(imageAddress(byDigest)).toMatchObject({ registry: 'ghcr.io', tag: '2.1.0', digest: one })
})

test('images that the inputs name by digest stay unchanged, and promoted ones are promoted again with the same digest', () => {
  expect(pinPromotedImages(releasing(`${web}@${other}`), ran).images).toEqual([
    { image: `${web}@${other}`, digest: other },
  ])
  const before = pinPromotedImages(releasing(web), ran).images.map(({ image }) => imageAddress(image))
  const promotionCandidates = pinPromotedImages(releasing(web), { ...ran, digests: namedDigests(before) })
  expect(promotionCandidates.images).toEqual([{ image: `${web}@${one}`, digest: one }])
})

test('an image reference that would be too long for the cloud keeps its tag', () => {
  const long = `ghcr.io/${'a'.repeat(180)}:1`
  const { images } = pinPromotedImages(releasing(long), { ...ran, addresses: [long], digests: { [long]: one } })
  expect(images).toMatchObject([{ image: long, warning: expect.any(String) }])
})

const allAtOnce = { type: 'all_at_once', bakeTimeInMinutes: 0 } as const

test('an archive is promoted with its hash, also to a copy in another bucket, but to another key only with a warning', () => {
  const codeSha256 = Buffer.from('ab'.repeat(32), 'hex').toString('base64')
  const ofFunction = {
    ...ran,
    addresses: ['s3://staging/web/v7.zip'],
    digests: { 's3://staging/web/v7.zip': codeSha256 },
  }
  const promotedOf = (s3Bucket: string, s3Key: string) =>
    pinPromotedImages(releaseOf({ ...allAtOnce, pauseStages: [] }, { code: { s3Bucket, s3Key } }), ofFunction)
  for (const bucket of ['staging', 'production']) {
    const { release, images } = promotedOf(bucket, 'web/v7.zip')
    expect(release.codeSha256).toBe(codeSha256)
    expect(images).toEqual([{ image: `s3://${bucket}/web/v7.zip`, digest: one }])
  }
  const { release, images } = promotedOf('production', 'web/v8.zip')
  expect(release.codeSha256).toBe(undefined)
  expect(images).toEqual([
    { image: 's3://production/web/v8.zip', warning: expect.stringMatching(/something else ran/) },
  ])
})
