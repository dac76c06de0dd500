import { Alert, Button, Checkbox, Group, MultiSelect, Stack, Text } from '@mantine/core'
import {
  type NotificationSettings,
  type NotificationTopic,
  notificationTopics,
  type SubscribableType,
} from '@sluice/contract'
import { useContext, useState } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import {
  describeDeliverySchedule,
  eventLabel,
  severityLabels,
  topicLabels,
} from '../../notifications/notification-labels.ts'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Facts } from '../../ui/facts.tsx'
import { FormModal } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { EventFields, eventsFromForm, listFromForm } from '../notifications/channel-form.tsx'
import { DeliveryFields, deliveryFromForm } from '../notifications/delivery-fields.tsx'

const shows = ['getNotificationSettings'] as const

/** Manages the member's email notifications. */
export const MailSettings = () => (
  <QueryResult of={useOperation('getNotificationSettings', {})}>{({ data }) => <Mail of={data} />}</QueryResult>
)

type Props = { of: NotificationSettings }

const Mail = ({ of }: Props) => {
  const { enabled, isMailSetUp, disabledReason } = of
  const turn = useApiMutation(() => client.updateNotificationSettings({ body: { data: { enabled: !enabled } } }), shows)
  return (
    <Section
      title="Email notifications"
      aside={
        <Group gap="xs">
          <Button size="xs" variant="default" loading={turn.isPending} onClick={() => turn.mutate(undefined)}>
            {enabled ? 'Disable' : 'Enable'}
          </Button>
          <Edit of={of} />
        </Group>
      }
    >
      <Stack>
        {!isMailSetUp && (
          <Alert color="gray">
            This installation can’t send email yet. After its operator sets up email, your settings below apply.
          </Alert>
        )}
        {turn.error && <ErrorPanel error={errorOf(turn.error)} />}
        {disabledReason !== undefined && (
          <Text size="sm" c="red">
            {disabledReason}
          </Text>
        )}
        {enabled ? <Settings of={of} /> : <Text size="sm">You don’t get email about this organization.</Text>}
      </Stack>
    </Section>
  )
}

const Settings = ({ of }: Props) => {
  const projects = useCompleteList('listProjects', {}).data ?? []
  const environments = useCompleteList('listEnvironments', {}).data ?? []
  const named = (ids: readonly string[], all: readonly { id: string; name: string }[]) =>
    ids.map((id) => all.find((one) => one.id === id)?.name ?? id).join(', ')
  const followed = {
    Events: of.events.map(eventLabel).join(', ') || 'All events',
    Severity: severityLabels[of.minimumSeverity],
    Projects: named(of.projectIds, projects) || 'All that you can access',
    Environments: named(of.environmentIds, environments) || 'All that you can access',
  }
  return (
    <Facts
      facts={{
        'Email me about': of.topics.map((topic) => topicLabels[topic]).join('; ') || 'Nothing',
        ...(of.topics.includes('FOLLOWED') && followed),
        Delivery: describeDeliverySchedule(of),
      }}
    />
  )
}

const Edit = ({ of }: Props) => {
  const change = useApiMutation((form: FormData) => {
    const topics = form.getAll('topics').map((topic) => String(topic) as NotificationTopic)
    const follows = topics.includes('FOLLOWED') && {
      projectIds: listFromForm(form, 'projectIds'),
      ...eventsFromForm<SubscribableType>(form),
    }
    return client.updateNotificationSettings({ body: { data: { topics, ...follows, ...deliveryFromForm(form) } } })
  }, shows)
  return (
    <FormModal label="Edit" title="Email notifications" submit="Save" change={change} button={{ size: 'xs' }}>
      <Fields of={of} />
    </FormModal>
  )
}

const Fields = ({ of }: Props) => {
  const faults = useContext(FormProblems)
  const [topics, setTopics] = useState<string[]>(of.topics)
  const projects = useCompleteList('listProjects', {}).data ?? []
  return (
    <>
      <Checkbox.Group label="Email me about" value={topics} onChange={setTopics} error={faults.topics}>
        <Stack gap="xs" mt={4}>
          {notificationTopics.map((topic) => (
            <Checkbox key={topic} name="topics" value={topic} label={topicLabels[topic]} />
          ))}
        </Stack>
      </Checkbox.Group>
      {topics.includes('FOLLOWED') && (
        <>
          <MultiSelect
            name="projectIds"
            label="Projects"
            data={projects.map(({ id, name }) => ({ value: id, label: name }))}
            defaultValue={of.projectIds}
            searchable
            error={faults.projectIds}
          />
          <EventFields of={of} projectId={null} />
        </>
      )}
      <DeliveryFields of={of} />
    </>
  )
}
