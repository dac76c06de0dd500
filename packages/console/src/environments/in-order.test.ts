import type { Environment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { inOrder } from './in-order.ts'

const environment = (id: string, projectId: string): Environment => ({
  id,
  createdAt: '',
  updatedAt: '',
  organizationId: 'org_1',
  projectId,
  givenId: id,
  name: id,
  restricted: false,
  visibility: 'ORGANIZATION',
})

test('projects stand by name, their environments as the team set them, new ones last by name', () => {
  const all = ['prod', 'new-b', 'staging', 'new-a'].map((id) => environment(id, 'p2'))
  const projects = [
    { id: 'p2', name: 'Billing' },
    { id: 'p1', name: 'Accounts' },
  ]
  const sorted = inOrder([...all, environment('only', 'p1')], projects, [['staging', 'prod'], ['only']])
  expect(sorted.map(({ id }) => id)).toEqual(['only', 'staging', 'prod', 'new-a', 'new-b'])
})
