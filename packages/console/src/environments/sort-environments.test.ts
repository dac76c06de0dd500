import type { Environment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { sortEnvironments } from './sort-environments.ts'

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

test('projects are sorted by name, environments in configured order, new ones last by name', () => {
  const all = ['prod', 'new-b', 'staging', 'new-a'].map((id) => environment(id, 'p2'))
  const projects = [
    { id: 'p2', name: 'Billing' },
    { id: 'p1', name: 'Accounts' },
  ]
  const sorted = sortEnvironments([...all, environment('only', 'p1')], projects, [['staging', 'prod'], ['only']])
  expect(sorted.map(({ id }) => id)).toEqual(['only', 'staging', 'prod', 'new-a', 'new-b'])
})
