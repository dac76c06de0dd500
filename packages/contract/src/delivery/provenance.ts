import { type Static, Type } from 'typebox'
import { freeFormLike } from '../values/free-form.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Statement and predicate types of in-toto.io/Statement/v1 and slsa.dev/provenance/v1 (read 2026-11). */
export const statementType = 'https://in-toto.io/Statement/v1'
export const provenanceType = 'https://slsa.dev/provenance/v1'

const Digests = Type.Record(Type.String(), Type.String(), {
  description:
    'Digests in hexadecimal, keyed by algorithm: `sha256` of an archive or an image manifest, `dirHash` of a site.',
  examples: [{ sha256: '0c4f5e1d' }],
})

const BuildDefinition = Type.Object(
  {
    buildType: Type.String({ description: 'URI that defines the meaning of the parameters.' }),
    externalParameters: freeFormLike({ inputs: { ref: 'v1' } }),
    internalParameters: freeFormLike({ triggeredBy: 'Ada Lovelace' }),
    resolvedDependencies: Type.Array(
      Type.Object(
        {
          uri: Type.String({ examples: ['git+https://github.com/acme/shop-site'] }),
          digest: Type.Object({ gitCommit: Type.String() }, closed),
        },
        closed,
      ),
      { description: 'Commit that the artifact was built from. Empty if the step was given files.' },
    ),
  },
  closed,
)

const RunDetails = Type.Object(
  {
    builder: Type.Object(
      {
        id: Type.String({ description: 'URL of this Sluice installation.' }),
        version: Type.Object({ sluice: Type.String() }, closed),
      },
      closed,
    ),
    metadata: Type.Object(
      {
        invocationId: Type.String({ description: 'Pipeline run and step that built the artifact.' }),
        startedOn: UtcDateTime,
        finishedOn: UtcDateTime,
      },
      closed,
    ),
  },
  closed,
)

/** Provenance of an artifact: an in-toto statement with a SLSA provenance predicate. */
export const Provenance = Type.Object(
  {
    _type: Type.Enum([statementType]),
    subject: Type.Array(Type.Object({ name: Type.String(), digest: Digests }, closed), { minItems: 1 }),
    predicateType: Type.Enum([provenanceType]),
    predicate: Type.Object({ buildDefinition: BuildDefinition, runDetails: RunDetails }, closed),
  },
  {
    ...closed,
    description: 'Provenance of an artifact: an unsigned in-toto statement with a SLSA provenance predicate.',
  },
)
export type Provenance = Static<typeof Provenance>
