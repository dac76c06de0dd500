import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { isSignedByA, readWebhookOfA } from './githosta-webhooks.ts'
import { deliveryIdOfB, readWebhookOfB } from './githostb-webhooks.ts'
import type { HostEvent } from './host.ts'
import { commitFactsOf } from './refs.ts'

const zeros = '0'.repeat(40)
const [before, after] = ['b'.repeat(40), 'a'.repeat(40)]

/** Commit as a host sends it, and the resulting details. */
const commit = {
  timestamp: '2026-03-05T17:00:00+01:00',
  message: 'Add the cart\n',
  author: { name: 'Ada', email: 'ada@example.com' },
}
const payloads = {
  committedAt: '2026-03-05T16:00:00.000Z',
  message: 'Add the cart\n',
  author: 'Ada',
  authorEmail: 'ada@example.com',
}

test('author data is truncated and cleaned for the database', () => {
  const { author, message } = commitFactsOf([{ id: after, message: `a\0${'🛒'.repeat(400)}`, author: {} }], after)
  expect(author).toBe(undefined)
  expect(message).toBe(`a${'🛒'.repeat(249)}\uFFFD`)
  expect(commitFactsOf([{ id: after, message: null, author: null }], after)).toEqual({})
  expect(commitFactsOf([], after)).toEqual({})
})

describe('GitHub', () => {
  const body = Buffer.from('{"zen":"x"}')
  const signed = (secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  test(
    'accepts only its own signature',
    everyCase(
      [
        ['its own', signed('secret'), true],
        ['that of another secret', signed('other'), false],
        ['the older one', `sha1=${createHmac('sha1', 'secret').update(body).digest('hex')}`, false],
        ['a cut one', signed('secret').slice(0, -1), false],
        ['an empty one', '', false],
        ['none', undefined, false],
      ],
      (_, signature, isRight) => {
        expect(isSignedByA(body, signature, 'secret')).toBe(isRight)
      },
    ),
  )

  const push = {
    ref: 'refs/heads/feature/x',
    before,
    after,
    repository: { id: 42 },
    pusher: { name: 'ada' },
    commits: [
      { added: ['a'], modified: ['b'], removed: [] },
      { added: [], modified: ['b'], removed: ['c'] },
    ],
  }
  const pushed = {
    kind: 'push',
    gitRepositoryId: '42',
    branch: 'feature/x',
    before,
    commit: after,
    changedPaths: ['a', 'b', 'c'],
    pushedBy: 'ada',
  }
  const asked = {
    action: 'opened',
    sender: { login: 'eve' },
    pull_request: {
      state: 'open',
      head: { ref: 'x', sha: after, repo: { id: 43 } },
      base: { ref: 'main', sha: before },
    },
  }
  const queued = {
    action: 'checks_requested',
    merge_group: {
      head_sha: after,
      head_ref: 'refs/heads/gh-readonly-queue/main/pr-3-b',
      base_sha: before,
      base_ref: 'refs/heads/main',
    },
    repository: { id: 42 },
    sender: { login: 'ada' },
  }
  const pull = { number: 3, repository: { id: 42 }, pull_request: { state: 'open', head: { ref: 'x', sha: after } } }
  test(
    'converts every event',
    everyCase(
      [
        ['push', push, [pushed]],
        ['push', { ...push, before: zeros }, [{ ...pushed, before: null }]],
        ['push', { ...push, forced: true }, [{ ...pushed, changedPaths: null }]],
        ['push', { ...push, forced: true, commits: [] }, [{ ...pushed, changedPaths: null }]],
        ['push', { ...push, before: zeros, commits: [] }, [{ ...pushed, before: null, changedPaths: null }]],
        [
          'push',
          { ...push, repository: { id: 42, full_name: 'acme/web' }, installation: { id: 7 } },
          [{ ...pushed, repoName: 'acme/web', installationId: '7' }],
        ],
        [
          'repository',
          { action: 'renamed', repository: { id: 42, full_name: 'acme/shop' } },
          [{ kind: 'renamed', gitRepositoryId: '42', repoName: 'acme/shop' }],
        ],
        [
          'repository',
          { action: 'transferred', repository: { id: 42, full_name: 'corp/web' }, installation: { id: 8 } },
          [{ kind: 'renamed', gitRepositoryId: '42', repoName: 'corp/web', installationId: '8' }],
        ],
        ['repository', { action: 'archived', repository: { id: 42, full_name: 'acme/web' } }, []],
        [
          'merge_group',
          queued,
          [
            {
              kind: 'merge-group',
              gitRepositoryId: '42',
              commit: after,
              baseBranch: 'main',
              baseCommit: before,
              branch: 'gh-readonly-queue/main/pr-3-b',
              by: 'ada',
            },
          ],
        ],
        ['merge_group', { ...queued, action: 'destroyed' }, []],
        [
          'push',
          {
            ...push,
            commits: [...push.commits.slice(1), { ...push.commits[0], id: after, ...commit }],
          },
          [{ ...pushed, changedPaths: ['b', 'c', 'a'], ...payloads }],
        ],
        ['push', { ...push, commits: Array(2_048).fill(push.commits[0]) }, [{ ...pushed, changedPaths: null }]],
        [
          'push',
          { ...push, commits: [{ added: Array(3_000).fill('a'), modified: [], removed: [] }] },
          [{ ...pushed, changedPaths: null }],
        ],
        ['push', { ...push, after: zeros, deleted: true }, []],
        [
          'push',
          {
            ...push,
            ref: 'refs/tags/v1',
            before: zeros,
            commits: [],
            head_commit: { ...push.commits[0], id: before, ...commit },
          },
          [{ kind: 'tag', gitRepositoryId: '42', tag: 'v1', commit: before, ...payloads, pushedBy: 'ada' }],
        ],
        ['push', { ...push, ref: 'refs/tags/v1', after: zeros, commits: [], head_commit: null }, []],
        ['push', { ...push, ref: 'refs/notes/x' }, []],
        ['push', { ref: 'refs/heads/main' }, []],
        [
          'pull_request',
          pull,
          [{ kind: 'pull-request', gitRepositoryId: '42', number: 3, branch: 'x', commit: after, isOpen: true }],
        ],
        [
          'pull_request',
          { ...pull, ...asked },
          [
            {
              kind: 'pull-request',
              gitRepositoryId: '42',
              number: 3,
              branch: 'x',
              commit: after,
              isOpen: true,
              request: { action: 'opened', baseBranch: 'main', baseCommit: before, isFromFork: true, by: 'eve' },
            },
          ],
        ],
        [
          'installation',
          { action: 'deleted', installation: { id: 7 } },
          [{ kind: 'access', installationId: '7', isLost: true }],
        ],
        [
          'installation',
          { action: 'suspend', installation: { id: 7 } },
          [{ kind: 'access', installationId: '7', isLost: true }],
        ],
        [
          'installation',
          { action: 'unsuspend', installation: { id: 7 } },
          [{ kind: 'access', installationId: '7', isLost: false }],
        ],
        [
          'installation_repositories',
          { installation: { id: 7 }, repositories_added: [{ id: 1 }], repositories_removed: [{ id: 2 }] },
          [
            { kind: 'access', installationId: '7', gitRepositoryIds: ['2'], isLost: true },
            { kind: 'access', installationId: '7', gitRepositoryIds: ['1'], isLost: false },
          ],
        ],
        ['ping', { zen: 'x' }, []],
        ['star', push, []],
      ],
      (name, payload, events) => {
        expect(readWebhookOfA(name, payload).map(inOurWords)).toEqual(events)
      },
    ),
  )
})

/** Returns an event without the host's original payload. */
function inOurWords(event: HostEvent): object {
  const { payload: _, ...ours } = { payload: undefined, ...event }
  return ours
}

describe('GitLab', () => {
  const push = {
    object_kind: 'push',
    ref: 'refs/heads/main',
    before,
    after,
    project: { id: 9 },
    user_username: 'ada',
    total_commits_count: 1,
    commits: [{ added: ['a'], modified: [], removed: ['b'] }],
  }
  const pushed = {
    kind: 'push',
    gitRepositoryId: '9',
    branch: 'main',
    before,
    commit: after,
    changedPaths: ['a', 'b'],
    mayBeForced: true,
    pushedBy: 'ada',
  }
  const anonymous = { user_username: undefined, user_name: 'Ada Lovelace' }
  const asked = {
    action: 'update',
    oldrev: before,
    target_branch: 'main',
    source_project_id: 9,
    target_project_id: 9,
  }
  const request = { iid: 3, state: 'opened', source_branch: 'x', last_commit: { id: after } }
  test(
    'converts every event',
    everyCase(
      [
        ['push', push, [pushed]],
        [
          'push of more commits than are listed',
          { ...push, total_commits_count: 21 },
          [{ ...pushed, changedPaths: null }],
        ],
        [
          'push without commits, such as a reset',
          { ...push, commits: [], total_commits_count: 0 },
          [{ ...pushed, changedPaths: null }],
        ],
        ['push without the name of an account', { ...push, ...anonymous }, [{ ...pushed, pushedBy: 'Ada Lovelace' }]],
        [
          'push to a project by its name',
          { ...push, project: { id: 9, path_with_namespace: 'team/web' } },
          [{ ...pushed, repoName: 'team/web' }],
        ],
        [
          'push with what is told of its commit',
          { ...push, commits: [{ ...push.commits[0], id: after, ...commit }] },
          [{ ...pushed, ...payloads }],
        ],
        ['deletion', { ...push, after: zeros }, []],
        [
          'tag',
          { ...push, object_kind: 'tag_push', ref: 'refs/tags/v1', checkout_sha: before },
          [{ kind: 'tag', gitRepositoryId: '9', tag: 'v1', commit: before, pushedBy: 'ada' }],
        ],
        [
          'tag without the name of an account',
          { ...push, ...anonymous, object_kind: 'tag_push', ref: 'refs/tags/v1', checkout_sha: before },
          [{ kind: 'tag', gitRepositoryId: '9', tag: 'v1', commit: before, pushedBy: 'Ada Lovelace' }],
        ],
        [
          'deleted tag',
          { ...push, object_kind: 'tag_push', ref: 'refs/tags/v1', after: zeros, checkout_sha: null },
          [],
        ],
        [
          'merge request',
          { object_kind: 'merge_request', project: { id: 9 }, object_attributes: request },
          [{ kind: 'pull-request', gitRepositoryId: '9', number: 3, branch: 'x', commit: after, isOpen: true }],
        ],
        [
          'merge request with new commits',
          {
            object_kind: 'merge_request',
            project: { id: 9 },
            user: { username: 'ada' },
            object_attributes: { ...request, ...asked },
          },
          [
            {
              kind: 'pull-request',
              gitRepositoryId: '9',
              number: 3,
              branch: 'x',
              commit: after,
              isOpen: true,
              request: { action: 'synchronize', baseBranch: 'main', isFromFork: false, by: 'ada' },
            },
          ],
        ],
        ['anything else', { object_kind: 'note' }, []],
      ],
      (_, payload, events) => {
        expect(readWebhookOfB(payload).map(inOurWords)).toEqual(events)
      },
    ),
  )

  test('uses the delivery id that is stable across redeliveries, if present', () => {
    expect(deliveryIdOfB({ 'idempotency-key': 'k', 'x-gitlab-event-uuid': 'u' })).toBe('k')
    expect(deliveryIdOfB({ 'x-gitlab-event-uuid': 'u' })).toBe('u')
    expect(deliveryIdOfB({})).toBe(undefined)
  })
})
