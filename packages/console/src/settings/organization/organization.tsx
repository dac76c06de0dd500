import { Alert, Group, Stack, Text, TextInput } from '@mantine/core'
import { deletionGraceDays, type Organization } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { PermissionButton } from '../../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { TimeAgo } from '../../ui/time.tsx'
import { ArtifactRetentionSection } from './artifact-retention.tsx'
import { LimitsSection } from './limits.tsx'
import { OwnOrganizations } from './own-organizations.tsx'

/** Settings of the organization and a list of the member's organizations. */
export const OrganizationSettings = () => {
  const principal = useOperation('whoami', {}, { staleTime: 60_000 })
  return <QueryResult of={principal}>{({ data: { organizationId } }) => <Sections id={organizationId} />}</QueryResult>
}

const Sections = ({ id }: { id: string }) => {
  const organization = useOperation('getOrganization', { params: { id } })
  return (
    <QueryResult of={organization}>
      {({ data }) => (
        <Stack gap="lg">
          <Naming of={data} />
          <OwnOrganizations />
          <LimitsSection />
          <ArtifactRetentionSection />
          {data.deletion ? <Ending of={data} deletion={data.deletion} /> : <Deleting of={data} />}
        </Stack>
      )}
    </QueryResult>
  )
}

const Naming = ({ of: { id, name, givenId } }: { of: Organization }) => {
  const rename = useApiMutation(
    (form: FormData) =>
      client.updateOrganization({ params: { id }, body: { data: { name: textFieldValue(form, 'name') } } }),
    ['getOrganization', 'listOrganizations', 'whoami'],
  )
  return (
    <Section title="Name">
      <Group>
        <Text>{name}</Text>
        <Text c="dimmed" size="sm">
          {givenId}
        </Text>
        <FormModal
          permission="organizations:write"
          label="Rename"
          title="Rename organization"
          submit="Rename"
          change={rename}
          button={{ size: 'xs', variant: 'default' }}
        >
          <TextInput name="name" label="Name" required maxLength={200} defaultValue={name} data-autofocus />
        </FormModal>
      </Group>
    </Section>
  )
}

const Deleting = ({ of: { id, name } }: { of: Organization }) => {
  const remove = useApiMutation(
    (form: FormData) =>
      client.deleteOrganization({ params: { id }, body: { data: { name: textFieldValue(form, 'name') } } }),
    ['getOrganization', 'listOrganizations'],
  )
  return (
    <Section title="Delete organization">
      <Stack align="flex-start">
        <Text size="sm">
          In {deletionGraceDays} days, everything in it is deleted: projects, instances, pipelines, states, members, and
          keys. Until then, it is read-only, and an owner can cancel the deletion. Resources in your cloud accounts keep
          running: destroy them first.
        </Text>
        <FormModal
          permission="organizations:write"
          label="Delete organization"
          title={`Delete ${name}?`}
          submit="Delete"
          change={remove}
          button={{ color: 'red.9' }}
        >
          <TextInput name="name" label={`Type ${name} to confirm`} required autoComplete="off" data-autofocus />
        </FormModal>
      </Stack>
    </Section>
  )
}

type EndingProps = { of: Organization; deletion: NonNullable<Organization['deletion']> }

const Ending = ({ of: { id }, deletion: { requestedBy, requestedAt, dueAt } }: EndingProps) => {
  const keep = useApiMutation(
    () => client.cancelOrganizationDeletion({ params: { id } }),
    ['getOrganization', 'listOrganizations'],
  )
  return (
    <Section title="Delete organization">
      <Alert color="red" title="Deletion scheduled">
        <Stack align="flex-start" gap="sm">
          <Text size="sm">
            Requested by {requestedBy} <TimeAgo at={requestedAt} />. The organization is read-only until everything in
            it is deleted <TimeAgo at={dueAt} />.
          </Text>
          {keep.error && <ErrorPanel error={errorOf(keep.error)} />}
          <PermissionButton
            permission="organizations:write"
            variant="default"
            loading={keep.isPending}
            onClick={() => keep.mutate(undefined)}
          >
            Cancel deletion
          </PermissionButton>
        </Stack>
      </Alert>
    </Section>
  )
}
