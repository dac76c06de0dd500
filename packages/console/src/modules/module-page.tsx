import { Skeleton, Stack, Tabs } from '@mantine/core'
import type { ModuleDefinition } from '@sluice/contract'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { ManagedModule } from '../files/managed-by-files.tsx'
import { DetailsForm, detailsFromForm } from '../ui/forms/details-form.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { UsedBy } from './used-by.tsx'

const Configuration = lazy(() => import('../module-versions/configuration.tsx'))
const Versions = lazy(() => import('../module-versions/versions.tsx'))

const route = getRouteApi('/shell/console/modules/$id')

/** Shows a module: its latest configuration, versions and instances. */
export const ModulePage = () => {
  const { id } = route.useParams()
  const definition = useOperation('getModuleDefinition', { params: { id } })
  return <QueryResult of={definition}>{({ data }) => <Shown key={data.id} definition={data} />}</QueryResult>
}

const Shown = ({ definition }: { definition: ModuleDefinition }) => {
  const { id, name, type, description, latestVersion, latestVersionId, organizationId } = definition
  const { tab = 'configuration' } = route.useSearch()
  const navigate = useNavigate()
  const versions = useCompleteList('listModuleVersions', { moduleDefinitionId: id })
  const update = useApiMutation(
    (form: FormData) => client.updateModuleDefinition({ params: { id }, body: { data: detailsFromForm(form) } }),
    ['getModuleDefinition', 'listModuleDefinitions'],
  )
  const show = (next: string | null) =>
    navigate({ to: '/console/modules/$id', params: { id }, search: { tab: next as typeof tab }, replace: true })
  const isOwn = organizationId !== undefined
  return (
    <Stack gap="lg">
      <PageTitle
        title={name}
        of="Module"
        above={
          <TextLink to="/console/modules" size="sm">
            Modules
          </TextLink>
        }
        below={[type, latestVersion && `version ${latestVersion}`, description].filter(Boolean).join(' · ')}
        aside={isOwn && <DetailsForm permission="module-definitions:write" of={definition} change={update} />}
      />
      {isOwn && <ManagedModule definitionId={id} />}
      <Tabs value={tab} onChange={show} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="configuration">Configuration</Tabs.Tab>
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
          <Tabs.Tab value="used">Used by</Tabs.Tab>
        </Tabs.List>
        <Suspense fallback={<Skeleton height={320} radius="md" />}>
          <Tabs.Panel value="configuration">
            <QueryResult of={versions}>
              {(all) => (
                <Configuration
                  definition={definition}
                  base={all.find((one) => one.id === latestVersionId)}
                  versions={all}
                />
              )}
            </QueryResult>
          </Tabs.Panel>
          <Tabs.Panel value="versions">
            <QueryResult of={versions}>{(all) => <Versions versions={all} isOwn={isOwn} />}</QueryResult>
          </Tabs.Panel>
          <Tabs.Panel value="used">
            <UsedBy definition={definition} />
          </Tabs.Panel>
        </Suspense>
      </Tabs>
    </Stack>
  )
}
