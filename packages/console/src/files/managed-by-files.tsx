import { Alert, Anchor, List, Stack, Text } from '@mantine/core'
import type { AppliedFiles, ChangeByHand, FilesSource } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { useWhole } from '../api/use-pages.ts'
import { TimeAgo } from '../ui/time.tsx'

type Props = { projectId: string; recordId: string }

/** That a record stands in files, and what of it was changed otherwise since they were applied. */
export const ManagedByFiles = ({ projectId, recordId }: Props) => {
  const { data } = useOperation('getAppliedFiles', { params: { id: projectId }, query: { recordId } })
  return data && <Managed of={data.data} />
}

/** The same of one of many records that are shown: their project is asked once for all. Nothing of what is in none. */
export const ManagedRow = ({ projectId, recordId }: { projectId: string | undefined; recordId: string }) =>
  projectId === undefined ? null : <ManagedIn projectId={projectId} recordId={recordId} />

/** More of the projects that share something are not asked. */
const mostProjects = 10

/**
 * The same of a module, which belongs to the organization: in the files of those projects that have the latest
 * instances of it.
 */
export const ManagedModule = ({ definitionId }: { definitionId: string }) => {
  const latest = { query: { moduleDefinitionId: definitionId, limit: 50 } }
  const instances = useOperation('listModuleInstances', latest, whole).data?.data ?? []
  const projects = useWhole('listProjects', {}).data ?? []
  const using = new Set(instances.map(({ projectId }) => projectId))
  return projects
    .filter(({ id }) => using.has(id))
    .slice(0, mostProjects)
    .map(({ id, name }) => <ManagedIn key={id} projectId={id} recordId={definitionId} of={name} />)
}

const ManagedIn = ({ projectId, recordId, of }: Props & { of?: string }) => {
  const { data } = useOperation('getAppliedFiles', { params: { id: projectId } }, whole)
  if (!data) return null
  const records = data.data.records.filter(({ id }) => id === recordId)
  return <Managed of={{ ...data.data, records }} size="xs" {...(of !== undefined && { project: of })} />
}

/** All of a project is more than one record, and asked for less often. */
const whole = { staleTime: 30_000 }

/** That a project stands in files, and all in it that was changed otherwise since they were applied. */
export const ManagedProject = ({ projectId }: { projectId: string }) => {
  const { data } = useOperation('getAppliedFiles', { params: { id: projectId } }, whole)
  if (!data) return null
  const { records, ...applied } = data.data
  const own = records.filter(({ id }) => id === projectId)
  const others = records.filter(({ id, changes }) => id !== projectId && changes.length > 0)
  return (
    <>
      <Managed of={{ ...applied, records: own }} />
      {others.length > 0 && (
        <Alert color="yellow" title="Drifted from the project’s files">
          <Stack gap="xs">
            <List size="sm">
              {others.flatMap(({ id, name, changes }) =>
                changes.map((change) => (
                  <List.Item key={`${id} ${name} ${change.at}`} style={{ overflowWrap: 'anywhere' }}>
                    {name} – <Changed of={change} />
                  </List.Item>
                )),
              )}
            </List>
            <Text size="sm">{wayBack}</Text>
          </Stack>
        </Alert>
      )}
    </>
  )
}

const wayBack = 'Run sluice plan to see the differences, or sluice apply to restore what the files define.'

/** `project` is told where it is not the one that is looked at. */
type ManagedProps = { of: AppliedFiles; size?: 'xs' | 'sm'; project?: string }

/** The same of what was read. */
export const Managed = ({ of: { appliedAt, appliedBy, source, records }, size = 'sm', project }: ManagedProps) => {
  if (records.length === 0 || appliedAt === undefined) return null
  const changes = records.flatMap((record) => record.changes)
  const applied = (
    <>
      Managed by files{project !== undefined && ` of ${project}`} as {records.map(({ name }) => name).join(' and ')};{' '}
      {appliedBy} applied them <TimeAgo at={appliedAt} />
      {source && <AtCommit of={source} />}.
    </>
  )
  if (changes.length === 0) {
    return (
      <Text size={size} c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {applied} Change the files instead: applying them overwrites changes made here.
      </Text>
    )
  }
  return (
    <Alert color="yellow" title="Drifted from its files">
      <Stack gap="xs">
        <List size="sm">
          {changes.map((change) => (
            <List.Item key={`${change.at} ${change.fields.join()}`}>
              <Changed of={change} />
            </List.Item>
          ))}
        </List>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {applied} {wayBack}
        </Text>
      </Stack>
    </Alert>
  )
}

const Changed = ({ of: { at, by, fields, isRemoval } }: { of: ChangeByHand }) => (
  <>
    {isRemoval ? 'removed' : fields.join(', ') || 'changed'}: {by}, <TimeAgo at={at} />
  </>
)

const AtCommit = ({ of: { commit, url } }: { of: FilesSource }) => {
  const short = commit.slice(0, 10)
  if (url === undefined) return ` at ${short}`
  return (
    <>
      {' at '}
      <Anchor href={url} target="_blank" rel="noreferrer" inherit underline="always">
        {short}
      </Anchor>
    </>
  )
}
