import type { Freeze } from '@sluice/contract'
import { useInstance } from '../api/use-instance.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { TextLink } from '../ui/text-link.tsx'

type Scope = Pick<Freeze, 'projectId' | 'environmentId' | 'moduleInstanceId'>

/** Links to the scope of a rule by name. */
export const ScopeLink = ({ rule }: { rule: Scope }) => {
  const { projectId, moduleInstanceId } = rule
  if (moduleInstanceId !== undefined) return <InstanceLink id={moduleInstanceId} />
  if (projectId === undefined) return 'Entire organization'
  return <ProjectLink projectId={projectId} environmentId={rule.environmentId} />
}

const InstanceLink = ({ id }: { id: string }) => {
  const instance = useInstance(id)
  const environments = useCompleteList('listEnvironments', { limit: 100 }).data
  const environment = environments?.find((one) => one.id === instance?.environmentId)
  return (
    <TextLink to="/console/instances/$id" params={{ id }} size="sm" c="inherit" underline="always">
      {[instance?.name ?? id, environment?.name].filter(Boolean).join(' · ')}
    </TextLink>
  )
}

type InProject = { projectId: string; environmentId: string | undefined }

const ProjectLink = ({ projectId, environmentId }: InProject) => {
  const projects = useCompleteList('listProjects', { limit: 100 }).data
  const environments = useCompleteList('listEnvironments', { limit: 100 }).data
  const names = [
    projects?.find(({ id }) => id === projectId)?.name ?? projectId,
    environmentId && (environments?.find(({ id }) => id === environmentId)?.name ?? environmentId),
  ]
  return (
    <TextLink to="/console/projects/$id" params={{ id: projectId }} size="sm" c="inherit" underline="always">
      {names.filter(Boolean).join(' / ')}
    </TextLink>
  )
}
