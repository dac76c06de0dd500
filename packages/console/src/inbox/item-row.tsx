import { Group, Stack, Text } from '@mantine/core'
import type { InboxItem } from '@sluice/contract'
import { LiftHoldButton } from '../holds/hold-form.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { InReadersTime, TimeAgo } from '../ui/time.tsx'
import { itemLabels } from './item-labels.ts'

/** Shows an inbox item with a link to it. */
export const ItemRow = ({ item }: { item: InboxItem }) => {
  const { type, id, project, at, message } = item
  return (
    <Group justify="space-between" gap="md" py="xs">
      <Stack gap={2} miw={0}>
        <Title item={item} />
        <Text size="sm">{itemLabels[type]}</Text>
        {message !== undefined && (
          <Text size="sm" lineClamp={3} style={{ overflowWrap: 'anywhere' }}>
            <InReadersTime sentence={message} />
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {project} · <TimeAgo at={at} />
        </Text>
      </Stack>
      {type === 'HOLD' && <LiftHoldButton id={id} reason={message ?? ''} />}
    </Group>
  )
}

const Title = ({ item: { type, id, title, pipelineRunId, moduleInstanceId } }: { item: InboxItem }) => {
  const said = { fw: 600, truncate: true, children: title } as const
  if (type === 'FAILED_RUN') return <TextLink to="/console/runs/$id" params={{ id }} {...said} />
  if (type === 'STEP_APPROVAL' || type === 'VERSION_APPROVAL')
    return <TextLink to="/console/runs/$id" params={{ id: pipelineRunId ?? '' }} {...said} />
  if (type !== 'HOLD') return <TextLink to="/console/deployments/$id" params={{ id }} {...said} />
  if (moduleInstanceId === undefined) return <TextLink to="/console/environments" {...said} />
  return <TextLink to="/console/instances/$id" params={{ id: moduleInstanceId }} {...said} />
}
