import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { NotificationChannel } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { ManagedRow } from '../../files/managed-by-files.tsx'
import {
  channelTypeLabels,
  describeDeliverySchedule,
  eventLabel,
  severityLabels,
} from '../../notifications/notification-labels.ts'
import { Copyable } from '../../ui/buttons/copyable.tsx'
import { PermissionButton } from '../../ui/buttons/permission-button.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Facts } from '../../ui/facts.tsx'
import { TimeAgo } from '../../ui/time.tsx'
import { ChannelDeliveries } from './channel-deliveries.tsx'
import { EditChannel } from './channel-form.tsx'

const permission = 'notification-channels:write'

/** Shows a channel with its actions. */
export const ChannelRow = ({ channel }: { channel: NotificationChannel }) => {
  const { id, name, kind, enabled } = channel
  const [isOpen, { toggle, open }] = useDisclosure(false)
  const test = useApiMutation(
    () => client.testNotificationChannel({ params: { id } }),
    ['listNotificationDeliveries'],
    open,
  )
  const turn = useApiMutation(
    () => client.updateNotificationChannel({ params: { id }, body: { data: { enabled: !enabled } } }),
    ['listNotificationChannels', 'listNotificationDeliveries'],
  )
  const remove = useApiMutation(
    () => client.deleteNotificationChannel({ params: { id } }),
    ['listNotificationChannels'],
  )
  const mutationError = test.error ?? turn.error ?? remove.error
  return (
    <Stack gap="xs" py="sm" role="group" aria-label={name}>
      <Group justify="space-between" align="flex-start">
        <Group gap="xs">
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Badge variant="light" color="gray" tt="none">
            {channelTypeLabels[kind]}
          </Badge>
          <ChannelStatus channel={channel} />
        </Group>
        <Group gap="xs">
          <EditChannel of={channel} />
          <RemoveButton permission={permission} label="Delete" name={name} change={remove}>
            Sluice stops sending notifications to this channel and deletes its deliveries. The audit log keeps who
            deleted it.
          </RemoveButton>
        </Group>
      </Group>
      {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
      <ManagedRow projectId={channel.projectId} recordId={id} />
      {channel.disabledReason !== undefined && (
        <Text size="sm" c="red">
          {channel.disabledReason}
        </Text>
      )}
      <Facts
        facts={{
          Events: channel.events.map(eventLabel).join(', ') || 'All events',
          Severity: severityLabels[channel.minimumSeverity],
          Delivery: kind === 'TEAM_MEMBERS' ? 'According to each member’s settings' : describeDeliverySchedule(channel),
          Scope: <ChannelScope channel={channel} />,
          Recipient: <Recipient channel={channel} />,
          ...(kind === 'SLACK' && {
            'Message buttons': channel.hasSigningSecret ? 'On' : 'Off (messages have links)',
          }),
          'Created by': channel.createdBy,
        }}
      />
      {channel.interactivityUrl !== undefined && (
        <Copyable label="Request URL for Slack interactivity" value={channel.interactivityUrl} />
      )}
      <Group gap="xs">
        <PermissionButton
          permission={permission}
          disabledReason={enabled ? undefined : 'The channel is disabled. Enable it first.'}
          size="xs"
          variant="default"
          aria-label={`Send test to ${name}`}
          loading={test.isPending}
          onClick={() => test.mutate(undefined)}
        >
          Send test
        </PermissionButton>
        <PermissionButton
          permission={permission}
          size="xs"
          variant="default"
          aria-label={`${enabled ? 'Disable' : 'Enable'} ${name}`}
          loading={turn.isPending}
          onClick={() => turn.mutate(undefined)}
        >
          {enabled ? 'Disable' : 'Enable'}
        </PermissionButton>
        <Button variant="subtle" size="xs" aria-expanded={isOpen} onClick={toggle}>
          Deliveries
        </Button>
      </Group>
      {isOpen && <ChannelDeliveries channel={channel} />}
    </Stack>
  )
}

/** Shows whether deliveries fail. */
const ChannelStatus = ({ channel: { enabled, failingSince, brokenSince } }: { channel: NotificationChannel }) => {
  if (!enabled)
    return (
      <Badge variant="light" color="gray" tt="none">
        {brokenSince === undefined ? 'Disabled' : 'Disabled after failures'}
      </Badge>
    )
  if (failingSince === undefined) return null
  return (
    <Badge variant="light" color="red" tt="none">
      {brokenSince === undefined ? 'Failing' : 'Broken'} since <TimeAgo at={failingSince} />
    </Badge>
  )
}

const ChannelScope = ({ channel: { projectId, environmentIds } }: { channel: NotificationChannel }) => {
  const projects = useCompleteList('listProjects', {}).data ?? []
  const environments = useCompleteList('listEnvironments', {}).data ?? []
  const project = projects.find(({ id }) => id === projectId)?.name ?? projectId
  const named = environmentIds.map((id) => environments.find((one) => one.id === id)?.name ?? id)
  return [project ?? 'All projects', ...(named.length === 0 ? ['all environments'] : named)].join(', ')
}

/** Shows the recipient. Secret URLs are never shown. */
const Recipient = ({ channel: { url, recipients, teamId, kind } }: { channel: NotificationChannel }) => {
  const members = useCompleteList('listMemberships', {}).data ?? []
  const teams = useCompleteList('listTeams', {}).data ?? []
  if (teamId !== undefined) return `Members of ${teams.find(({ id }) => id === teamId)?.name ?? teamId}`
  if (recipients) return recipients.map((one) => members.find(({ id }) => id === one)?.email ?? one).join(', ')
  return <span style={{ overflowWrap: 'anywhere' }}>{url ?? `A secret ${channelTypeLabels[kind]} URL`}</span>
}
