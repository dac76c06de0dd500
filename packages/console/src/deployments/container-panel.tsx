import type { EcsDeploymentData } from '@sluice/contract'
import { Section } from '../ui/section.tsx'
import { AnalysisPanel } from './analysis-panel.tsx'
import { DefinitionChanges } from './definition-changes.tsx'
import { Revisions } from './revisions.tsx'

/**
 * A container service: two revisions with their tasks and traffic, how checks went, and what is new in the definition.
 */
export const ContainerPanel = ({ data }: { data: EcsDeploymentData }) => (
  <>
    <Section title="Versions and traffic">
      <Revisions data={data} />
    </Section>
    {data.analysis && data.analysis.length > 0 && <AnalysisPanel analyses={data.analysis} />}
    <Section title="Changes of the task definition">
      <DefinitionChanges data={data} />
    </Section>
  </>
)
