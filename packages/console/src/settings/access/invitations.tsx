import { Badge, Group, Select, Text, TextInput } from '@mantine/core'
import type { Role } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { usePages } from '../../api/use-pages.ts'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { Copyable } from '../../ui/buttons/copyable.tsx'
import { AddForm } from '../../ui/forms/add-form.tsx'
import { textFieldValue } from '../../ui/forms/form-modal.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Section } from '../../ui/section.tsx'
import { Pages } from '../../ui/tables/pages.tsx'
import { TimeAgo } from '../../ui/time.tsx'
import { roleOptions } from './roles.ts'

const looks = {
  PENDING: { label: 'Pending', color: 'water' },
  ACCEPTED: { label: 'Accepted', color: 'teal' },
  EXPIRED: { label: 'Expired', color: 'gray' },
} as const

/** Lists invitations. */
export const Invitations = () => {
  const invitations = usePages('listInvitations', {})
  const invite = useApiMutation(
    (form: FormData) =>
      client.createInvitation({
        body: { data: { email: textFieldValue(form, 'email'), role: textFieldValue(form, 'role') as Role } },
      }),
    ['listInvitations'],
  )
  const revoke = useApiMutation((id: string) => client.deleteInvitation({ params: { id } }), ['listInvitations'])
  const made = invite.data?.data
  const form = (
    <AddForm
      permission="invitations:write"
      command="inviteMember"
      label="Invite member"
      submit="Invite"
      change={invite}
    >
      <TextInput name="email" type="email" label="Email" required data-autofocus />
      <Select name="role" label="Role" data={roleOptions} defaultValue="DEVELOPER" allowDeselect={false} required />
    </AddForm>
  )
  return (
    <Section title="Invitations" aside={form}>
      <Pages
        of={invitations}
        empty={
          <Notice title="No invitations yet">
            Invite someone to get a link that lets them join this organization.
          </Notice>
        }
      >
        {({ id, email, role, status, expiresAt }) => (
          <Group justify="space-between" py="xs">
            <div>
              <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                {email}
              </Text>
              <Text size="sm" c="dimmed">
                as {role.toLowerCase()}{' '}
                {status === 'PENDING' && (
                  <>
                    {' '}
                    · link expires <TimeAgo at={expiresAt} />
                  </>
                )}
              </Text>
            </div>
            <Group gap="xs">
              <Badge color={looks[status].color} variant="light" tt="none">
                {looks[status].label}
              </Badge>
              {status === 'PENDING' && (
                <ConfirmButton
                  permission="invitations:write"
                  variant="subtle"
                  color="red"
                  size="xs"
                  label="Revoke"
                  ariaLabel={`Revoke the invitation for ${email}`}
                  question="Revoke this invitation?"
                  onConfirm={() => revoke.mutate(id)}
                >
                  The link for {email} stops working immediately.
                </ConfirmButton>
              )}
            </Group>
          </Group>
        )}
      </Pages>
      <SecretDialog title={`Invitation for ${made?.email}`} isOpen={made !== undefined} onClose={invite.reset}>
        <Text size="sm">Sluice doesn’t email invitations. Copy this link and send it to {made?.email}.</Text>
        <Copyable label="Link" value={`${location.origin}/console/join#${made?.token}`} />
      </SecretDialog>
    </Section>
  )
}
