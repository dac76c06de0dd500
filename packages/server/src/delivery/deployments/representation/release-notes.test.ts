import { expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { commitsToCompare } from './release-notes.ts'

const repository = 'https://git.example.com/web'
const [old, commit] = ['a'.repeat(40), 'b'.repeat(40)]

test(
  'without a Git host, the release notes state the reason',
  everyCase(
    [
      ['which commit is released', {}, { commit: old }, 'which commit is released'],
      ['what ran before', { commit, repository }, undefined, 'Nothing ran before'],
      ['of which commit that was', { commit, repository }, {}, 'which commit ran before'],
      ['in which repository it is', { commit }, { commit: old }, 'which repository'],
      [
        'the same repository',
        { commit, repository },
        { commit: old, repository: `${repository}2` },
        'another repository',
      ],
    ],
    (_, now, then, reason) => {
      expect(commitsToCompare(now, then)).toEqual({ reason: expect.stringContaining(reason) })
    },
  ),
)

test('the host is asked for the commits between two releases, unless they are the same', () => {
  const now = { commit, repository }
  expect(commitsToCompare(now, { commit: old })).toEqual({ repository, from: old, to: commit })
  expect(commitsToCompare(now, { commit, repository })).toEqual({ nothing: true })
})
