import { artifactUses } from '@sluice/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import {
  type MarkedArtifact,
  markPattern,
  marksOf,
  messageFor,
  type RetentionReason,
  RetentionReasons,
} from './marks.ts'

const hex = (digit: string, length: number) => digit.repeat(length)
const runId = 'run_01kx2m3n4p5q6r7s8t9v0w1x2y'
const like = (change: Partial<MarkedArtifact>): MarkedArtifact => ({
  kind: 'static',
  key: '',
  digest: '',
  pipelineRunId: runId,
  ...change,
})
const image = like({ kind: 'image', key: 'shop/web', digest: `sha256:${hex('a', 64)}` })

test(
  'the artifact of a release is identified',
  everyCase(
    [
      ['a site', like({ key: `releases/${hex('b', 32)}` }), { prefix: `releases/${hex('b', 32)}` }],
      ['an archive', like({ kind: 'lambda', key: `web/${hex('c', 32)}.zip` }), { s3Key: `web/${hex('c', 32)}.zip` }],
      ['an image by its digest', image, { image: `123.registry.example/shop/web@sha256:${hex('a', 64)}` }],
      ['an image by its tag', image, { image: `123.registry.example/shop/web:${runId}-abcdef012345-01234567` }],
      ['an image in a command', image, { commands: [`docker run shop/web@sha256:${hex('a', 64)} serve`] }],
    ] as const,
    (_, artifact, release) => {
      const needs = new RetentionReasons()
      const found = [...JSON.stringify(release).matchAll(new RegExp(markPattern, 'g'))].map(([mark]) => mark)
      for (const mark of found) needs.add(mark, { use: 'RUNNING' })
      expect(needs.of(artifact)).toEqual({ use: 'RUNNING' })
      expect(needs.of({ ...artifact, key: `x/${hex('d', 32)}`, digest: hex('d', 64), pipelineRunId: 'run_2' })).toBe(
        undefined,
      )
    },
  ),
)

test('the strongest of several references applies, in any order', () => {
  const need = fc.record({ use: fc.constantFrom(...artifactUses), of: fc.constantFrom(...marksOf(image)) })
  fc.assert(
    fc.property(fc.array(need, { minLength: 1 }), (found) => {
      const needs = new RetentionReasons()
      for (const { use, of } of found) needs.add(of, { use })
      const strongest = artifactUses.find((use) => found.some((one) => one.use === use))
      expect(needs.of(image)?.use).toBe(strongest)
    }),
  )
})

test('every type of reference has a message, and so has none', () => {
  const all: (RetentionReason | undefined)[] = [undefined, ...artifactUses.map((use) => ({ use }))]
  for (const need of all) expect(messageFor(need)).toMatch(/^[A-Z].*\.$/)
})
