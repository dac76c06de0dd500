import { Group, Skeleton, Stack, Tabs } from '@mantine/core'
import type { Pipeline } from '@sluice/contract'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { client } from '../api/client.ts'
import { Here } from '../api/place.ts'
import { useChange } from '../api/use-change.ts'
import { useOperation } from '../api/use-operation.ts'
import { useWhole } from '../api/use-pages.ts'
import { FavouriteButton } from '../favourites/favourite-button.tsx'
import { ManagedByFiles } from '../files/managed-by-files.tsx'
import { Answer } from '../ui/answer.tsx'
import { DetailsForm, detailsIn } from '../ui/forms/details-form.tsx'
import { PageTitle } from '../ui/page-title.tsx'
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
    <Answer of={pipeline}>
      {({ data }) => (
        <Here value={{ projectId: data.projectId }}>
          <Shown pipeline={data} />
        </Here>
      )}
    </Answer>
  )
}

const Shown = ({ pipeline }: { pipeline: Pipeline }) => {
  const { id, name, description, givenId, latestRunStatus } = pipeline
  const { tab = 'runs' } = useSearch({ from: here })
  const navigate = useNavigate()
  const versions = useWhole('listPipelineVersions', { pipelineId: id })
  const latest = versions.data?.[0]
  const update = useChange(
    (form: FormData) => client.updatePipeline({ params: { id }, body: { data: detailsIn(form) } }),
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
            <FavouriteButton id={id} name={name} />
            {latestRunStatus && <StatusBadge status={latestRunStatus} size="lg" />}
            <DetailsForm needs="pipelines:write" of={pipeline} change={update} />
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
            <Answer of={versions}>{([base]) => <Configuration pipeline={{ id, name }} base={base} />}</Answer>
          </Tabs.Panel>
          <Tabs.Panel value="versions">
            <Answer of={versions}>{(all) => <Versions pipelineId={id} versions={all} />}</Answer>
          </Tabs.Panel>
        </Suspense>
      </Tabs>
    </Stack>
  )
}
