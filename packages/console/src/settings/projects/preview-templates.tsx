import { Checkbox, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { PreviewTemplate } from '@sluice/contract'
import { useContext, useState } from 'react'
import { client } from '../../api/client.ts'
import { PermissionScopeContext } from '../../api/scope.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { ManagedRow } from '../../files/managed-by-files.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Facts } from '../../ui/facts.tsx'
import { EditModal } from '../../ui/forms/edit-modal.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { formatList, formatObject, templateFromForm, templateUpdate } from './template-fields.ts'

const permission = 'preview-templates:write'
const shows = ['listPreviewTemplates'] as const

/** Manages templates of preview environments. */
export const PreviewTemplates = () => {
  const templates = useCompleteList('listPreviewTemplates', {})
  const { isAllowed, reason } = usePermission(permission)
  return (
    <Section title="Preview environment templates" aside={<NewTemplate />}>
      <Stack>
        {!isAllowed && reason !== '' && <Text size="sm">You can’t manage preview templates here. {reason}</Text>}
        <QueryResult of={templates}>
          {(all) => (
            <Rows
              of={all}
              empty={
                <Notice title="No preview templates here">
                  With a template, each pull request of a repository gets a copy of an environment until it is closed.
                </Notice>
              }
            >
              {(template) => <TemplateRow template={template} />}
            </Rows>
          )}
        </QueryResult>
      </Stack>
    </Section>
  )
}

const NewTemplate = () => {
  const create = useApiMutation((form: FormData) => {
    const ids = {
      projectId: textFieldValue(form, 'projectId'),
      environmentId: textFieldValue(form, 'environmentId'),
      codeSourceId: textFieldValue(form, 'codeSourceId'),
    }
    return client.createPreviewTemplate({ body: { data: { ...ids, ...templateFromForm(form) } } })
  }, shows)
  return (
    <FormModal
      permission={permission}
      label="Add template"
      title="Add template"
      outcome="Pull requests that are opened from now on get an environment of their own."
      submit="Add"
      change={create}
      button={{ size: 'xs' }}
    >
      <NewFields />
    </FormModal>
  )
}

const TemplateRow = ({ template }: { template: PreviewTemplate }) => {
  const { id, projectId, environmentId, codeSourceId, branches, lifetimeHours, maxPerProject, updatedBy } = template
  const named = useNames()
  const update = useApiMutation(
    (form: FormData) =>
      client.updatePreviewTemplate({ params: { id }, body: { data: templateUpdate(templateFromForm(form)) } }),
    shows,
  )
  const remove = useApiMutation(() => client.deletePreviewTemplate({ params: { id } }), shows)
  const name = `${named.source(codeSourceId)} → ${named.environment(environmentId)}`
  return (
    <PermissionScopeContext value={{ projectId }}>
      <Stack gap="xs" py="sm" role="group" aria-label={name}>
        <Group justify="space-between" align="flex-start">
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Group gap="xs">
            <EditModal permission={permission} name={name} change={update}>
              <Fields of={template} projectId={projectId} />
            </EditModal>
            <RemoveButton permission={permission} label="Delete" name={name} change={remove}>
              Pull requests no longer get environments from this template. It can’t be deleted while one of them exists.
            </RemoveButton>
          </Group>
        </Group>
        {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
        <ManagedRow projectId={projectId} recordId={id} />
        <Facts
          facts={{
            Project: named.project(projectId),
            'Pull requests': `into ${branches?.join(', ') ?? 'any branch'}, ${template.allowsForks ? 'including forks' : 'no forks'}`,
            Pipeline: template.pipelineId === undefined ? 'None' : named.pipeline(template.pipelineId),
            Lifetime: `${lifetimeHours} h after the last push`,
            Maximum: `${maxPerProject} per project`,
            'Runs as': updatedBy,
          }}
        />
      </Stack>
    </PermissionScopeContext>
  )
}

/** Returns functions that look up the names of a template's records. */
function useNames() {
  const projects = useCompleteList('listProjects', {}).data ?? []
  const environments = useCompleteList('listEnvironments', {}).data ?? []
  const pipelines = useCompleteList('listPipelines', {}).data ?? []
  const sources = useCompleteList('listCodeSources', {}).data ?? []
  const nameIn = (all: readonly { id: string; name: string }[]) => (id: string) =>
    all.find((one) => one.id === id)?.name ?? id
  return {
    project: nameIn(projects),
    environment: nameIn(environments),
    pipeline: nameIn(pipelines),
    source: (id: string) => sources.find((one) => one.id === id)?.repoName ?? id,
  }
}

const NewFields = () => {
  const faults = useContext(FormProblems)
  const [projectId, setProject] = useState<string | null>(null)
  const projects = useCompleteList('listProjects', {}).data ?? []
  const environments = useCompleteList('listEnvironments', {}).data ?? []
  const sources = useCompleteList('listCodeSources', {}).data ?? []
  return (
    <>
      <Select
        name="projectId"
        label="Project"
        data={projects.map(optionOf)}
        value={projectId}
        onChange={setProject}
        required
        data-autofocus
        error={faults.projectId}
      />
      <Select
        key={projectId}
        name="environmentId"
        label="Source environment"
        data={environments.filter((one) => one.projectId === projectId).map(optionOf)}
        required
        error={faults.environmentId}
      />
      <Select
        name="codeSourceId"
        label="Repository"
        data={sources.map(({ id, repoName }) => ({ value: id, label: repoName }))}
        required
        error={faults.codeSourceId}
      />
      <Fields projectId={projectId} />
    </>
  )
}

const optionOf = ({ id, name }: { id: string; name: string }) => ({ value: id, label: name })

const Fields = ({ of, projectId }: { of?: PreviewTemplate; projectId: string | null }) => {
  const faults = useContext(FormProblems)
  const pipelines = useCompleteList('listPipelines', {}).data ?? []
  return (
    <>
      <Textarea
        name="branches"
        label="Target branches"
        description="One glob per line. Leave empty for all branches."
        placeholder="main"
        autosize
        defaultValue={formatList(of?.branches)}
        error={faults.branches}
      />
      <Textarea
        name="paths"
        label="Changed files"
        description="One glob per line. Leave empty for all files."
        placeholder="services/web/**"
        autosize
        defaultValue={formatList(of?.paths)}
        error={faults.paths}
      />
      <Textarea
        name="instances"
        label="Module instances"
        description="One instance ID per line. Instances that they reference are included. Leave empty for all."
        placeholder="web"
        autosize
        defaultValue={formatList(of?.instances)}
        error={faults.instances}
      />
      <Textarea
        name="inputs"
        label="Input overrides"
        description="JSON object, by instance ID. Templates are allowed."
        placeholder={'{"web": {"tag": "<< pull_request.commit >>"}}'}
        autosize
        defaultValue={formatObject(of?.inputs)}
        error={faults.inputs}
      />
      <Select
        key={projectId}
        name="pipelineId"
        label="Run a pipeline after creation"
        placeholder="None"
        data={pipelines.filter((one) => one.projectId === projectId).map(optionOf)}
        defaultValue={of?.pipelineId ?? null}
        clearable
        error={faults.pipelineId}
      />
      <Textarea
        name="pipelineInputs"
        label="Pipeline inputs"
        description="JSON object. Templates are allowed."
        placeholder={'{"commit": "<< pull_request.commit >>"}'}
        autosize
        defaultValue={formatObject(of?.pipelineInputs)}
        error={faults.pipelineInputs}
      />
      <TextInput
        name="namePattern"
        label="Environment name"
        required
        defaultValue={of?.namePattern ?? 'pr-{number}'}
        error={faults.namePattern}
      />
      <TextInput
        name="lifetimeHours"
        label="Hours to keep after the last push"
        type="number"
        min={1}
        max={2160}
        required
        defaultValue={of?.lifetimeHours ?? 72}
        error={faults.lifetimeHours}
      />
      <TextInput
        name="maxPerProject"
        label="Maximum per project"
        type="number"
        min={1}
        max={100}
        required
        defaultValue={of?.maxPerProject ?? 10}
        error={faults.maxPerProject}
      />
      <Checkbox
        name="allowsForks"
        label="Create environments for forks"
        description="Anyone can open a pull request from a fork, and its code runs with your secrets."
        defaultChecked={of?.allowsForks ?? false}
      />
    </>
  )
}
