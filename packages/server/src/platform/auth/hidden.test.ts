import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import type { Grant } from './access.ts'
import { hiddenFrom } from './hidden.ts'

// The project shop is for members alone; of blog, only its environment live is.
const guarded = {
  projectIds: ['shop'],
  environments: [
    { id: 'staging', projectId: 'shop', isForMembers: false },
    { id: 'production', projectId: 'shop', isForMembers: true },
    { id: 'live', projectId: 'blog', isForMembers: true },
  ],
}
const on = (projectId: string, environmentId: string | null = null): Grant => ({
  projectId,
  environmentId,
  role: 'VIEWER',
})

test(
  'a role hides what it does not cover',
  everyCase(
    [
      ['nobody in particular', [], ['shop', 'staging', 'production', 'live']],
      ['who has a role on the project', [on('shop')], ['production', 'live']],
      ['who has a role on one environment', [on('shop', 'staging')], ['production', 'live']],
      ['who has one on the guarded environment', [on('shop', 'production')], ['staging', 'live']],
      ['who has both', [on('shop'), on('shop', 'production')], ['live']],
      ['who has one elsewhere', [on('blog')], ['shop', 'staging', 'production', 'live']],
      ['who has all', [on('shop'), on('shop', 'production'), on('blog', 'live')], []],
    ],
    (_who, grants, hidden) => {
      expect([...hiddenFrom(grants, guarded)]).toEqual(hidden)
    },
  ),
)
