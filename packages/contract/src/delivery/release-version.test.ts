import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { releaseMarksOf, versionOf } from './release-version.ts'

test(
  'the version of an image is its tag',
  everyCase(
    [
      ['123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop/web:2.1.0', '2.1.0'],
      ['registry.example.com:5000/web', 'latest'],
      ['web', 'latest'],
      ['registry.example.com:5000/web:7', '7'],
      [`web@sha256:${'ab'.repeat(32)}`, 'sha256:abababababab'],
      [`web:2.1.0@sha256:${'ab'.repeat(32)}`, '2.1.0'],
    ],
    (image, version) => {
      expect(versionOf({ image })).toBe(version)
    },
  ),
)

test('the version of a function is its published version, or its image before publishing', () => {
  expect(versionOf({ functionVersion: '12', image: 'web:2' })).toBe('12')
  expect(versionOf({ image: 'web:2' })).toBe('2')
})

test('the version of a site is its directory, that of machines their checkout; without data there is none', () => {
  expect(versionOf({ directory: 'releases/7' })).toBe('releases/7')
  expect(versionOf({ checkout: 'v3' })).toBe('v3')
  expect(versionOf(releaseMarksOf(undefined))).toBe(undefined)
})
