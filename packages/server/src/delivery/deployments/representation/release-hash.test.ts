import { expect, test } from 'vitest'
import type { Release } from '../types/release.ts'
import { releaseHash } from './release-hash.ts'

const hash = (release: unknown) => releaseHash(release as Release)

test('equal releases have the same hash, and different ones do not', () => {
  const release = {
    type: 'cloud:ecs',
    taskDefinition: { register: { family: 'web', cpu: '256' } },
    subnets: ['a', 'b'],
  }
  const reordered = {
    subnets: ['a', 'b'],
    taskDefinition: { register: { cpu: '256', family: 'web' } },
    type: 'cloud:ecs',
  }
  expect(hash(reordered)).toBe(hash(release))
  expect(hash({ ...release, preDeploy: undefined })).toBe(hash(release))
  expect(hash({ ...release, subnets: ['b', 'a'] })).not.toBe(hash(release))
  expect(hash({ ...release, taskDefinition: { register: { family: 'web', cpu: '512' } } })).not.toBe(hash(release))
})

test('a promotion that expects certain code or files has the hash of the same release without them', () => {
  const code = { type: 'cloud:lambda', code: { s3Bucket: 'builds', s3Key: 'v7.zip' } }
  expect(hash({ ...code, codeSha256: 'b2xk' })).toBe(hash(code))
  const site = { type: 'cloud:static', bucket: 'site', prefix: 'releases/7' }
  expect(hash({ ...site, contentDigest: 'sha256:0a' })).toBe(hash(site))
  const redeployed = { ...code, version: { version: '6', codeSha256: 'b2xk' } }
  expect(hash(redeployed)).not.toBe(hash(code))
})
