import { Group, Stack, Text } from '@mantine/core'
import { useCompleteList } from '../api/use-pages.ts'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { Rows } from '../ui/tables/rows.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { NewPipeline } from './new-pipeline.tsx'
import { RunList } from './run-list.tsx'

/** Lists all pipelines and their runs, newest first. */
export const Pipelines = () => {
  const pipelines = useCompleteList('listPipelines', {})
  const nameOf = (id: string) => pipelines.data?.find((pipeline) => pipeline.id === id)?.name ?? id
  return (
    <Stack gap="lg" maw={960}>
      <PageTitle title="Pipelines" aside={<NewPipeline />} />
      <Section title="All pipelines">
        <QueryResult of={pipelines}>
          {(all) => (
            <Rows
              of={all}
              empty={
                <Notice title="No pipelines yet">
                  Create a pipeline to plan, approve, apply, and deploy changes automatically.
                </Notice>
              }
            >
              {({ id, name, description, latestRunStatus }) => (
                <Group justify="space-between" wrap="nowrap" py="xs">
                  <div>
                    <TextLink to="/console/pipelines/$id" params={{ id }} fw={600}>
                      {name}
                    </TextLink>
                    <Text size="sm" c="dimmed">
                      {description}
                    </Text>
                  </div>
                  {latestRunStatus && <StatusBadge status={latestRunStatus} />}
                </Group>
              )}
            </Rows>
          )}
        </QueryResult>
      </Section>
      <RunList nameOf={nameOf} />
    </Stack>
  )
}
