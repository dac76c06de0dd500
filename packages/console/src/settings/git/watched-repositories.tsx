import { Badge, Checkbox, Code, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import type { WatchedApply, WatchedRepository, WatchedRepositoryPlan, WatchedStatus } from '@sluice/contract'
import { useContext } from 'react'
import { client } from '../../api/client.ts'
import { PermissionScopeContext } from '../../api/scope.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { PermissionButton } from '../../ui/buttons/permission-button.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { DifferenceList } from '../../ui/difference-list.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Facts } from '../../ui/facts.tsx'
import { EditModal } from '../../ui/forms/edit-modal.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { TimeAgo } from '../../ui/time.tsx'

/** Same as for keys of a service account, because files are applied with its permissions. */
const permission = 'api-keys:write'
const shows = ['listWatchedRepositories', 'getWatchedRepositoryPlan'] as const

const looks = {
  PLANNING: { label: 'Planning', color: 'gray' },
  APPLIED: { label: 'In sync', color: 'teal' },
  PENDING_APPROVAL: { label: 'Needs approval', color: 'orange' },
  APPLYING: { label: 'Applying', color: 'water' },
  DRIFTED: { label: 'Drifted', color: 'yellow' },
  INVALID: { label: 'Invalid files', color: 'red' },
  FAILED: { label: 'Failed', color: 'red' },
} as const satisfies Record<WatchedStatus, object>

/** Manages watched repositories and shows their drift. */
export const WatchedRepositories = () => {
  const all = useCompleteList('listWatchedRepositories', {})
  const { isAllowed, reason } = usePermission(permission)
  return (
    <Section title="Watched repositories" aside={<NewWatched />}>
      <Stack>
        {!isAllowed && reason !== '' && <Text size="sm">You can’t manage watched repositories here. {reason}</Text>}
        <QueryResult of={all}>
          {(found) => (
            <Rows
              of={found}
              empty={
                <Notice title="No watched repositories here">
                  Watch a repository to keep a project in sync with its files. Sluice plans and applies each push, and
                  comments on pull requests.
                </Notice>
              }
            >
              {(watched) => <WatchedRow of={watched} />}
            </Rows>
          )}
        </QueryResult>
      </Stack>
    </Section>
  )
}

const NewWatched = () => {
  const create = useApiMutation((form: FormData) => {
    const branch = textFieldValue(form, 'branch')
    const data = {
      projectId: textFieldValue(form, 'projectId'),
      ...entriesIn(form),
      ...(branch !== '' && { branch }),
    }
    return client.createWatchedRepository({ body: { data } })
  }, shows)
  return (
    <FormModal
      permission={permission}
      command="watchRepository"
      label="Watch repository"
      title="Watch repository"
      submit="Watch"
      change={create}
      button={{ size: 'xs' }}
    >
      <ProjectField />
      <Fields />
    </FormModal>
  )
}

const entriesIn = (form: FormData) => ({
  codeSourceId: textFieldValue(form, 'codeSourceId'),
  path: textFieldValue(form, 'path').replaceAll(/^\/+|\/+$/g, ''),
  serviceAccountId: textFieldValue(form, 'serviceAccountId'),
  apply: textFieldValue(form, 'apply') as WatchedApply,
  prune: form.has('prune'),
  runStacks: form.has('runStacks'),
  comments: form.has('comments'),
})

const ProjectField = () => {
  const faults = useContext(FormProblems)
  const projects = useCompleteList('listProjects', {}).data ?? []
  const data = projects.map(({ id, name }) => ({ value: id, label: name }))
  return <Select name="projectId" label="Project" data={data} required data-autofocus error={faults.projectId} />
}

const Fields = ({ of }: { of?: WatchedRepository }) => {
  const faults = useContext(FormProblems)
  const sources = useCompleteList('listCodeSources', {}).data ?? []
  const accounts = useCompleteList('listServiceAccounts', {}).data ?? []
  return (
    <>
      <Select
        name="codeSourceId"
        label="Repository"
        data={sources.map(({ id, repoName }) => ({ value: id, label: repoName }))}
        defaultValue={of?.codeSourceId ?? null}
        required
        error={faults.codeSourceId}
      />
      <TextInput
        name="branch"
        label="Branch"
        description={of ? undefined : 'Leave empty for the default branch.'}
        placeholder="main"
        required={of !== undefined}
        defaultValue={of?.branch ?? ''}
        error={faults.branch}
      />
      <TextInput
        name="path"
        label="Folder"
        description="Leave empty for the whole repository."
        placeholder="infrastructure"
        defaultValue={of?.path ?? ''}
        error={faults.path}
      />
      <Select
        name="serviceAccountId"
        label="Service account"
        description="Files can change only what this service account is allowed to change."
        data={accounts.map(({ id, name, role }) => ({ value: id, label: `${name} (${role.toLowerCase()})` }))}
        defaultValue={of?.serviceAccountId ?? null}
        required
        error={faults.serviceAccountId}
      />
      <Select
        name="apply"
        label="Apply on merge"
        data={[
          { value: 'AFTER_APPROVAL', label: 'After approval' },
          { value: 'ON_MERGE', label: 'Automatically' },
        ]}
        defaultValue={of?.apply ?? 'AFTER_APPROVAL'}
        allowDeselect={false}
        error={faults.apply}
      />
      <Checkbox
        name="prune"
        label="Delete records that no file defines"
        description="Instances, stacks, environments, and pipelines are deleted only after approval."
        defaultChecked={of?.prune ?? false}
      />
      <Checkbox
        name="runStacks"
        label="Update infrastructure when the inputs of instances change"
        defaultChecked={of?.runStacks ?? true}
      />
      <Checkbox
        name="comments"
        label="Comment planned changes on pull requests"
        description="Comments include current values, visible to everyone who can read the pull request."
        defaultChecked={of?.comments ?? true}
      />
    </>
  )
}

const WatchedRow = ({ of: watched }: { of: WatchedRepository }) => {
  const { id, projectId, codeSourceId, serviceAccountId, status, message, branch, path } = watched
  const projects = useCompleteList('listProjects', {}).data ?? []
  const sources = useCompleteList('listCodeSources', {}).data ?? []
  const accounts = useCompleteList('listServiceAccounts', {}).data ?? []
  const project = projects.find((one) => one.id === projectId)?.name ?? projectId
  const source = sources.find((one) => one.id === codeSourceId)?.repoName ?? codeSourceId
  const update = useApiMutation((form: FormData) => {
    const data = { ...entriesIn(form), branch: textFieldValue(form, 'branch') }
    return client.updateWatchedRepository({ params: { id }, body: { data } })
  }, shows)
  const remove = useApiMutation(() => client.deleteWatchedRepository({ params: { id } }), shows)
  const look = useApiMutation(() => client.checkWatchedRepository({ params: { id } }), shows)
  const name = `${source} → ${project}`
  const { label, color } = looks[status]
  const trouble = remove.error ?? look.error
  return (
    <PermissionScopeContext value={{ projectId }}>
      <Stack gap="xs" py="sm" role="group" aria-label={name}>
        <Group justify="space-between" align="flex-start">
          <Group gap="xs">
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            <Badge variant="light" color={color} tt="none">
              {label}
            </Badge>
          </Group>
          <Group gap="xs">
            <PermissionButton
              permission="approvals:write"
              size="xs"
              variant="default"
              loading={look.isPending}
              aria-label={`Check now: ${name}`}
              onClick={() => look.mutate(undefined)}
            >
              Check now
            </PermissionButton>
            <EditModal permission={permission} name={name} change={update}>
              <Fields of={watched} />
            </EditModal>
            <RemoveButton permission="projects:write" label="Delete" name={name} change={remove}>
              Sluice stops applying its files. The project doesn’t change.
            </RemoveButton>
          </Group>
        </Group>
        {trouble && <ErrorPanel error={errorOf(trouble)} />}
        {message !== undefined && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {message}
          </Text>
        )}
        <Facts
          facts={{
            Files: `${path || 'entire repository'}, branch ${branch}`,
            'Last planned': watched.commit ? <AtCommit commit={watched.commit} at={watched.plannedAt} /> : 'Never',
            'Last applied': watched.appliedCommit ? (
              <AtCommit commit={watched.appliedCommit} at={watched.appliedAt} />
            ) : (
              'Never'
            ),
            'Service account': accounts.find((one) => one.id === serviceAccountId)?.name ?? 'a deleted account',
            'Apply on merge': watched.apply === 'ON_MERGE' ? 'Automatically' : 'After approval',
          }}
        />
        {(watched.changeCount > 0 || watched.errorCount > 0) && <Found of={watched} name={name} />}
      </Stack>
    </PermissionScopeContext>
  )
}

const AtCommit = ({ commit, at }: { commit: string; at: string | undefined }) => (
  <>
    <Code>{commit.slice(0, 10)}</Code>
    {at !== undefined && (
      <>
        {' '}
        <TimeAgo at={at} />
      </>
    )}
  </>
)

const counted = (count: number, one: string, more: string) => (count === 1 ? `1 ${one}` : `${count} ${more}`)

/** Shows planned changes or errors. Permitted members approve exactly what is shown. */
const Found = ({ of: { id, status, changeCount }, name }: { of: WatchedRepository; name: string }) => {
  const plan = useOperation('getWatchedRepositoryPlan', { params: { id } })
  const apply = useApiMutation(
    (planDigest: string) => client.applyWatchedRepository({ params: { id }, body: { data: { planDigest } } }),
    shows,
  )
  const found = plan.data?.data
  if (!found) return plan.error ? <ErrorPanel error={errorOf(plan.error)} /> : null
  const { planDigest, isWithheld, isTruncated } = found
  const canAgree = planDigest !== undefined && !isWithheld && status !== 'APPLYING'
  return (
    <Stack gap="xs">
      {isWithheld && <Text size="sm">Differences are hidden because you don’t have access to the whole project.</Text>}
      <FoundList of={found} />
      {isTruncated && <Text size="sm">The list is truncated. Run sluice plan to see all changes.</Text>}
      {apply.error && <ErrorPanel error={errorOf(apply.error)} />}
      {canAgree && (
        <Group>
          <ConfirmButton
            permission="approvals:write"
            size="xs"
            label="Apply"
            ariaLabel={`Apply ${name}`}
            question={`Apply ${counted(changeCount, 'change', 'changes')}?`}
            loading={apply.isPending}
            onConfirm={() => apply.mutate(planDigest)}
          >
            Sluice creates the project from these files, with the permissions of the service account.
          </ConfirmButton>
        </Group>
      )}
    </Stack>
  )
}

const signs = { create: '+', change: '~', remove: '−' } as const

const FoundList = ({ of: { changes, errors } }: { of: WatchedRepositoryPlan }) => (
  <Stack gap="sm">
    {changes.map(({ action, record, differences }) => (
      <details key={record}>
        <summary style={{ overflowWrap: 'anywhere' }}>
          {signs[action]} {record} ({action})
        </summary>
        <DifferenceList differences={differences.map(({ path, before, after }) => ({ path, before, after }))} />
      </details>
    ))}
    {errors.map(({ file, line, column, message }) => (
      <Text size="sm" key={`${file}:${line}:${column} ${message}`} style={{ overflowWrap: 'anywhere' }}>
        <Code>{`${file}:${line}:${column}`}</Code> {message}
      </Text>
    ))}
  </Stack>
)
