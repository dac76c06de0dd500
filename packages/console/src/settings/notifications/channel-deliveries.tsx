import { Badge, Group, Stack, Text } from '@mantine/core'
import type { NotificationChannel, NotificationDelivery } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { describeDeliveryResult, eventLabel } from '../../notifications/notification-labels.ts'
import { PermissionButton } from '../../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { TimeAgo } from '../../ui/time.tsx'

/** Number of deliveries shown. The API lists all. */
const shown = 20
/** Refetch interval while the list is open. Milliseconds. */
const everyMs = 3_000

const looks = {
  DELIVERED: { label: 'Delivered', color: 'teal' },
  PENDING: { label: 'Retrying', color: 'orange' },
  FAILED: { label: 'Failed', color: 'red' },
} as const

/** Lists recent deliveries of a channel and their results. */
export const ChannelDeliveries = ({ channel }: { channel: NotificationChannel }) => {
  const { id, name } = channel
  const deliveries = useOperation(
    'listNotificationDeliveries',
    { params: { id }, query: { limit: shown } },
    { refetchInterval: everyMs },
  )
  return (
    <Stack gap={0} pl="md" role="region" aria-label={`Deliveries of ${name}`}>
      <QueryResult of={deliveries}>
        {({ data, meta }) => (
          <>
            <Rows of={data} empty={<Text size="sm">No deliveries in the last 30 days.</Text>}>
              {(delivery) => <Delivery delivery={delivery} channel={channel} />}
            </Rows>
            {meta.totalCount > shown && (
              <Text size="xs" c="dimmed" pt="xs">
                Latest {shown} of {meta.totalCount}.
              </Text>
            )}
          </>
        )}
      </QueryResult>
    </Stack>
  )
}

const Delivery = ({ delivery, channel }: { delivery: NotificationDelivery; channel: NotificationChannel }) => {
  const { id, status, payload, createdAt, attempts, nextAttemptAt, isHeldBack } = delivery
  const resend = useApiMutation(
    () => client.resendNotificationDelivery({ params: { id } }),
    ['listNotificationDeliveries'],
  )
  const { label, color } = looks[status]
  const isWaiting = status === 'PENDING' && attempts.length === 0
  return (
    <Stack gap={4} py="xs">
      <Group justify="space-between">
        <Group gap="xs">
          <Badge variant="light" color={isWaiting ? 'gray' : color} tt="none">
            {isWaiting ? (isHeldBack ? 'Queued' : 'Sending') : label}
          </Badge>
          <Text size="sm">
            {eventLabel(payload.type)} <About data={payload.data} />
          </Text>
          <Text size="sm" c="dimmed">
            <TimeAgo at={createdAt} />
          </Text>
        </Group>
        <PermissionButton
          permission="notification-channels:write"
          disabledReason={channel.enabled ? undefined : 'The channel is disabled. Enable it first.'}
          size="xs"
          variant="subtle"
          loading={resend.isPending}
          onClick={() => resend.mutate(undefined)}
        >
          Redeliver
        </PermissionButton>
      </Group>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {describeDeliveryResult(delivery)}
        {attempts.length > 1 && ` (attempt ${attempts.length})`}
        {(attempts.length > 0 || isHeldBack) && nextAttemptAt !== undefined && (
          <>
            {' '}
            {attempts.length > 0 ? 'Next attempt' : 'Scheduled'} <TimeAgo at={nextAttemptAt} />.
          </>
        )}
      </Text>
      {resend.error && <ErrorPanel error={errorOf(resend.error)} />}
    </Stack>
  )
}

/** Links to the record that the event is about. */
const About = ({ data }: { data: NotificationDelivery['payload']['data'] }) => {
  if ('deploymentId' in data)
    return (
      <TextLink to="/console/deployments/$id" params={{ id: data.deploymentId }}>
        {data.moduleInstance.name}
      </TextLink>
    )
  if ('previewEnvironmentId' in data) return data.givenId
  if ('pipelineRunId' in data)
    return (
      <TextLink to="/console/runs/$id" params={{ id: data.pipelineRunId }}>
        {'stack' in data ? data.stack.name : `${data.pipeline.name} #${data.number}`}
      </TextLink>
    )
  if ('certificateId' in data) return data.names[0]
  if ('cloudAccount' in data) return data.cloudAccount.name
  if ('holdId' in data) return (data.moduleInstance ?? data.environment).name
  return null
}
