import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false } as const

/** Maximum number of prices per organization. Each resource of a plan is compared with all prices of its type. */
const maxPrices = 500

/** Maximum number of attributes per price. */
const maxConditions = 8

const currency = Type.String({
  pattern: '^[A-Z]{3}$',
  description: 'Currency of the amounts, as an ISO 4217 code.',
  examples: ['EUR'],
})

const amount = (description: string) => Type.String({ description, examples: ['12.50'] })

export const Price = Type.Object(
  {
    resourceType: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Type of the resources that the price applies to.',
      examples: ['aws_instance'],
    }),
    where: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 200 }), Type.String({ maxLength: 200 }), {
        maxProperties: maxConditions,
        description:
          'Attribute values that the resource must have, as strings keyed by attribute path. If several prices match, the one with the most attributes applies; of those, the first.',
        examples: [{ instance_type: 't3.large', 'root_block_device.0.encrypted': 'true' }],
      }),
    ),
    monthly: Type.String({
      pattern: '^[0-9]{1,9}(\\.[0-9]{1,6})?$',
      description: 'Monthly price of one resource as a decimal string; `0` if it is free.',
      examples: ['60.74'],
    }),
  },
  { ...closed, description: 'Monthly price of a resource type.' },
)
export type Price = Static<typeof Price>

export const PriceList = Type.Object(
  {
    currency,
    prices: Type.Array(Price, {
      maxItems: maxPrices,
      description: 'Prices. If empty, plans contain no cost.',
    }),
  },
  { ...closed, description: 'Price list used to compute the cost of plans and of extra tasks in rehearsals.' },
)
export type PriceList = Static<typeof PriceList>

export const PlanCost = Type.Object(
  {
    currency,
    monthlyBefore: amount("Current monthly cost of the stack's resources."),
    monthlyAfter: amount('Monthly cost after the plan is applied.'),
    monthlyDifference: amount('Difference in monthly cost. Negative if the cost decreases.'),
    unpricedCount: Type.Integer({ minimum: 0, description: 'Number of resources without a known price.' }),
    unpriced: Type.Array(
      Type.Object(
        {
          resourceType: Price.properties.resourceType,
          count: Type.Integer({ minimum: 1, description: 'Number of resources.' }),
        },
        { ...closed, description: 'Resources of one type without a price.' },
      ),
      {
        description: 'Types of resources without a price: the 100 types with the most resources, most resources first.',
      },
    ),
  },
  { ...closed, description: 'Monthly cost of a plan, computed with the price list at the time of planning.' },
)
export type PlanCost = Static<typeof PlanCost>
