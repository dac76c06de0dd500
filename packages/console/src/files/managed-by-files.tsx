import { Alert, Anchor, List, Stack, Text } from '@mantine/core'
import type { AppliedFiles, FilesSource, ManualChange } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { TimeAgo } from '../ui/time.tsx'

type Props = { projectId: string; recordId: string }

/** Shows that files define a record, and how it drifted from them. */
export const ManagedByFiles = ({ projectId, recordId }: Props) => {
  const { data } = useOperation('getAppliedFiles', { params: { id: projectId }, query: { recordId } })
  return data && <FileManagementNote of={data.data} />
}

/** Shows the same for a record in a list, with one request per project. Shows nothing for records without files. */
export const ManagedRow = ({ projectId, recordId }: { projectId: string | undefined; recordId: string }) =>
  projectId === undefined ? null : <ManagedIn projectId={projectId} recordId={recordId} />

/** Maximum number of projects to check for a shared record. */
const maxProjects = 10

/** Shows the same for a module, which belongs to the organization. Checks the projects with its latest instances. */
export const ManagedModule = ({ definitionId }: { definitionId: string }) => {
  const latest = { query: { moduleDefinitionId: definitionId, limit: 50 } }
  const instances = useOperation('listModuleInstances', latest, whole).data?.data ?? []
  const projects = useCompleteList('listProjects', {}).data ?? []
  const using = new Set(instances.map(({ projectId }) => projectId))
  return projects
    .filter(({ id }) => using.has(id))
    .slice(0, maxProjects)
    .map(({ id, name }) => <ManagedIn key={id} projectId={id} recordId={definitionId} of={name} />)
}

const ManagedIn = ({ projectId, recordId, of }: Props & { of?: string }) => {
  const { data } = useOperation('getAppliedFiles', { params: { id: projectId } }, whole)
  if (!data) return null
  const records = data.data.records.filter(({ id }) => id === recordId)
  return <FileManagementNote of={{ ...data.data, records }} size="xs" {...(of !== undefined && { project: of })} />
}

/** Fetched less often, because the answer covers the whole project. */
const whole = { staleTime: 30_000 }

/** Shows that files define a project, and everything in it that drifted from them. */
export const ManagedProject = ({ projectId }: { projectId: string }) => {
  const { data } = useOperation('getAppliedFiles', { params: { id: projectId } }, whole)
  if (!data) return null
  const { records, ...applied } = data.data
  const own = records.filter(({ id }) => id === projectId)
  const others = records.filter(({ id, changes }) => id !== projectId && changes.length > 0)
  return (
    <>
      <FileManagementNote of={{ ...applied, records: own }} />
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
            <Text size="sm">{remedy}</Text>
          </Stack>
        </Alert>
      )}
    </>
  )
}

const remedy = 'Run sluice plan to see the differences, or sluice apply to restore what the files define.'

/** `project` is named if the record belongs to another project than the page. */
type ManagedProps = { of: AppliedFiles; size?: 'xs' | 'sm'; project?: string }

/** Shows the repositories whose files manage the resource, if they are already in the cache. */
export const FileManagementNote = ({
  of: { appliedAt, appliedBy, source, records },
  size = 'sm',
  project,
}: ManagedProps) => {
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
          {applied} {remedy}
        </Text>
      </Stack>
    </Alert>
  )
}

const Changed = ({ of: { at, by, fields, isDeletion } }: { of: ManualChange }) => (
  <>
    {isDeletion ? 'removed' : fields.join(', ') || 'changed'}: {by}, <TimeAgo at={at} />
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
