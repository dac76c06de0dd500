import type { DescribedType, RecordDescription } from '@sluice/contract'
import type { SearchHit } from './search-hits.ts'

/**
 * Returns whether a text identifies one record: an ARN, an ID such as `dep_…`, or an email address, not longer than
 * the server accepts.
 */
export const isRecordReference = (text: string): boolean =>
  /^(arn:\S{1,496}|[a-z]+_\w{6,90}|[^@\s]{1,64}@[^@\s]{1,250})$/.test(text)

const kinds = {
  'cloud-accounts': 'cloud account',
  deployments: 'deployment',
  environments: 'environment',
  'iac-resources': 'resource',
  memberships: 'member',
  'module-instances': 'service',
  'pipeline-runs': 'run',
  'pipeline-step-executions': 'step',
  pipelines: 'pipeline',
  projects: 'project',
  'service-accounts': 'service account',
  stacks: 'stack',
} as const satisfies Record<DescribedType, string>

export function hitOfRecord(record: RecordDescription): SearchHit {
  const { type, id, name, status, owner, arn } = record
  const detail = [kinds[type], arn, owner && `by ${owner}`].filter(Boolean).join(' · ')
  return { key: `described ${id}`, title: name, detail, status, to: placeOf(record) }
}

/** Returns the page of a record, or the closest page that shows it. */
function placeOf({ type, id, links }: RecordDescription): SearchHit['to'] {
  const linked = (relation: string) => links.find((link) => link.relation === relation)?.id
  switch (type) {
    case 'module-instances':
      return { to: '/console/instances/$id', params: { id } }
    case 'deployments':
      return { to: '/console/deployments/$id', params: { id } }
    case 'pipelines':
      return { to: '/console/pipelines/$id', params: { id } }
    case 'pipeline-runs':
      return { to: '/console/runs/$id', params: { id } }
    case 'projects':
      return { to: '/console/projects/$id', params: { id } }
    case 'cloud-accounts':
      return { to: '/console/settings/cloud-accounts' }
    case 'memberships':
      return { to: '/console/settings/members' }
    case 'service-accounts':
      return { to: '/console/settings/service-accounts' }
    case 'environments':
      return projectPage(linked('project'))
    case 'pipeline-step-executions':
      return runPage(linked('pipelineRun'))
    case 'iac-resources':
      return infrastructureOf(linked('moduleInstance')) ?? runPage(linked('pipelineRun'))
    case 'stacks': {
      const latest = linked('latestApply')
      return infrastructureOf(linked('moduleInstance')) ?? (latest ? runPage(latest) : projectPage(linked('project')))
    }
  }
}

const infrastructureOf = (id: string | undefined): SearchHit['to'] | undefined =>
  id === undefined ? undefined : { to: '/console/instances/$id', params: { id }, search: { tab: 'infrastructure' } }

const runPage = (id: string | undefined): SearchHit['to'] =>
  id === undefined ? { to: '/console/pipelines' } : { to: '/console/runs/$id', params: { id } }

const projectPage = (id: string | undefined): SearchHit['to'] =>
  id === undefined ? { to: '/console/projects' } : { to: '/console/projects/$id', params: { id } }
