import { Divider, Group, Stack, Text } from '@mantine/core'
import { followMs, useOperation } from '../api/use-operation.ts'
import { Answer } from '../ui/answer.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { Section } from '../ui/section.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'

/** Every pipeline, and the runs of all of them, newest first. */
export const Pipelines = () => {
  const pipelines = useOperation('listPipelines', { query: { limit: 100 } })
  const runs = useOperation('listPipelineRuns', { query: { limit: 20 } }, { refetchInterval: followMs })
  const nameOf = (id: string) => pipelines.data?.data.find((pipeline) => pipeline.id === id)?.name ?? id
  return (
    <Stack gap="lg" maw={960}>
      <PageTitle title="Pipelines" />
      <Section title="All pipelines">
        <Answer of={pipelines}>
          {({ data }) =>
            data.length === 0 ? (
              <Notice title="There is no pipeline yet">Create one through the interface, at /docs.</Notice>
            ) : (
              data.map(({ id, name, description, latestRunStatus }, index) => (
                <div key={id}>
                  {index > 0 && <Divider />}
                  <Group justify="space-between" wrap="nowrap" py="xs">
                    <div>
                      <Text fw={600}>{name}</Text>
                      <Text size="sm" c="dimmed">
                        {description}
                      </Text>
                    </div>
                    {latestRunStatus && <StatusBadge status={latestRunStatus} />}
                  </Group>
                </div>
              ))
            )
          }
        </Answer>
      </Section>
      <Section title="Runs">
        <Answer of={runs}>
          {({ data }) =>
            data.length === 0 ? (
              <Notice title="Nothing ran yet" />
            ) : (
              data.map(({ id, pipelineId, status, triggeredBy, createdAt, description }, index) => (
                <div key={id}>
                  {index > 0 && <Divider />}
                  <Group justify="space-between" wrap="nowrap" py="xs">
                    <div>
                      <TextLink to="/console/runs/$id" params={{ id }} fw={600}>
                        {nameOf(pipelineId)}
                      </TextLink>
                      <Text size="sm" c="dimmed">
                        {description && `${description} · `}
                        {triggeredBy} · <TimeAgo at={createdAt} />
                      </Text>
                    </div>
                    <StatusBadge status={status} />
                  </Group>
                </div>
              ))
            )
          }
        </Answer>
      </Section>
    </Stack>
  )
}
