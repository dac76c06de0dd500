import { Code, Stack, Table, Text } from '@mantine/core'
import type { Artifact, ModuleInstance } from '@sluice/contract'
import { useRouter } from '@tanstack/react-router'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useCompleteList, usePages } from '../api/use-pages.ts'
import { shortCommit } from '../deployments/source-text.ts'
import { useFreezeRejection } from '../freezes/freeze-note.tsx'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Loading } from '../ui/loading.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { DataTable } from '../ui/tables/data-table.tsx'
import { ShowMore } from '../ui/tables/show-more.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'
import { formatBytes } from './format-bytes.ts'

/** Lists the artifacts of an instance, newest first: commit, deployments and a button to deploy them. */
export const ArtifactsPanel = ({ instance }: { instance: ModuleInstance }) => {
  const artifacts = usePages('listArtifacts', { moduleInstanceId: instance.id, limit: 20 })
  const { data, error } = artifacts
  if (data === undefined) return error ? <ErrorPanel error={errorOf(error)} /> : <Loading />
  const rows = data.pages.flatMap((page) => page.data)
  return (
    <Section title="Artifacts">
      {rows.length === 0 ? (
        <Notice title="No artifacts yet">Artifacts come from build steps of a pipeline.</Notice>
      ) : (
        <DataTable label="Artifacts" head={['Commit', 'Built', 'Size', 'Deployed as', '']} minWidth={640}>
          {rows.map((artifact) => (
            <Row key={artifact.id} artifact={artifact} instance={instance} />
          ))}
        </DataTable>
      )}
      <ShowMore of={artifacts} />
    </Section>
  )
}

const Row = ({ artifact, instance }: { artifact: Artifact; instance: ModuleInstance }) => {
  const { id, commit, createdAt, sizeBytes, pipelineRunId, deployInputs, runningOn, removal } = artifact
  const { id: moduleInstanceId, projectId, environmentId } = instance
  const router = useRouter()
  const mutationError = useFreezeRejection('RELEASES', { projectId, environmentId, moduleInstanceId })
  const name = commit === undefined ? id : shortCommit(commit)
  const release = useApiMutation(
    () => {
      const description = `Release ${name}`
      return client.createDeployment({ body: { data: { moduleInstanceId, description, inputs: deployInputs } } })
    },
    ['listDeployments'],
    ({ data }) => router.navigate({ to: '/console/deployments/$id', params: { id: data.id } }),
  )
  const isGone = removal?.beganAt !== undefined
  const what = commit === undefined ? 'artifact' : 'commit'
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink to="/console/runs/$id" params={{ id: pipelineRunId }}>
          <Code>{name}</Code>
        </TextLink>
      </Table.Td>
      <Table.Td>
        <TimeAgo at={createdAt} />
      </Table.Td>
      <Table.Td>{formatBytes(sizeBytes)}</Table.Td>
      <Table.Td>
        <Places runningOn={runningOn} />
      </Table.Td>
      <Table.Td>
        {isGone ? (
          <Text size="sm" c="dimmed">
            Deleted: {removal.reason}
          </Text>
        ) : (
          <Stack gap={4} align="flex-end">
            <PermissionButton
              permission="deployments:write"
              size="compact-sm"
              variant="default"
              aria-label={`Deploy this ${what}: ${name}`}
              loading={release.isPending}
              disabledReason={mutationError}
              onClick={() => release.mutate(undefined)}
            >
              Deploy this {what}
            </PermissionButton>
            {release.error && <ErrorPanel error={errorOf(release.error)} />}
          </Stack>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

const Places = ({ runningOn }: Pick<Artifact, 'runningOn'>) => {
  const environments = useCompleteList('listEnvironments', { limit: 100 }).data
  return runningOn.map(({ moduleInstanceId, environmentId, deploymentId }, index) => (
    <span key={moduleInstanceId}>
      {index > 0 && ', '}
      <TextLink to="/console/deployments/$id" params={{ id: deploymentId }} size="sm">
        {environments?.find(({ id }) => id === environmentId)?.name ?? environmentId}
      </TextLink>
    </span>
  ))
}
