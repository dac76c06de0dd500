import { Group, Skeleton, Stack, Tabs } from '@mantine/core'
import type { Pipeline } from '@sluice/contract'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { client } from '../api/client.ts'
import { PermissionScopeContext } from '../api/scope.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { FavoriteButton } from '../favorites/favorite-button.tsx'
import { ManagedByFiles } from '../files/managed-by-files.tsx'
import { DetailsForm, detailsFromForm } from '../ui/forms/details-form.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { RunList } from './run-list.tsx'
import { StartRun } from './start-run.tsx'

const Configuration = lazy(() => import('../pipeline-versions/configuration.tsx'))
const Versions = lazy(() => import('../pipeline-versions/versions.tsx'))

const here = '/shell/console/pipelines/$id'

/** Shows a pipeline: its runs, configuration and versions. */
export const PipelinePage = () => {
  const { id } = useParams({ from: here })
  const pipeline = useOperation('getPipeline', { params: { id } })
  return (
    <QueryResult of={pipeline}>
      {({ data }) => (
        <PermissionScopeContext value={{ projectId: data.projectId }}>
          <Shown pipeline={data} />
        </PermissionScopeContext>
      )}
    </QueryResult>
  )
}

const Shown = ({ pipeline }: { pipeline: Pipeline }) => {
  const { id, name, description, givenId, latestRunStatus } = pipeline
  const { tab = 'runs' } = useSearch({ from: here })
  const navigate = useNavigate()
  const versions = useCompleteList('listPipelineVersions', { pipelineId: id })
  const latest = versions.data?.[0]
  const update = useApiMutation(
    (form: FormData) => client.updatePipeline({ params: { id }, body: { data: detailsFromForm(form) } }),
    ['getPipeline', 'listPipelines'],
  )
  const show = (next: string | null) =>
    navigate({ to: '/console/pipelines/$id', params: { id }, search: { tab: next as typeof tab }, replace: true })
  return (
    <Stack gap="lg">
      <PageTitle
        title={name}
        of="Pipeline"
        below={[givenId, latest && `version ${latest.version}`, description].filter(Boolean).join(' · ')}
        aside={
          <Group gap="sm">
            <FavoriteButton id={id} name={name} />
            {latestRunStatus && <StatusBadge status={latestRunStatus} size="lg" />}
            <DetailsForm permission="pipelines:write" of={pipeline} change={update} />
          </Group>
        }
      />
      <ManagedByFiles projectId={pipeline.projectId} recordId={id} />
      <StartRun pipelineId={id} versions={versions.data ?? []} />
      <Tabs value={tab} onChange={show} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="runs">Runs</Tabs.Tab>
          <Tabs.Tab value="configuration">Configuration</Tabs.Tab>
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
        </Tabs.List>
        <Suspense fallback={<Skeleton height={320} radius="md" />}>
          <Tabs.Panel value="runs">
            <RunList pipelineId={id} nameOf={() => name} />
          </Tabs.Panel>
          <Tabs.Panel value="configuration">
            <QueryResult of={versions}>{([base]) => <Configuration pipeline={{ id, name }} base={base} />}</QueryResult>
          </Tabs.Panel>
          <Tabs.Panel value="versions">
            <QueryResult of={versions}>{(all) => <Versions pipelineId={id} versions={all} />}</QueryResult>
          </Tabs.Panel>
        </Suspense>
      </Tabs>
    </Stack>
  )
}
