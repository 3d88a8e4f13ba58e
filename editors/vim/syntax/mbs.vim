" SPDX-License-Identifier: 0BSD
" Vim syntax of mbs models; written by editors/generate.sh.
if exists("b:current_syntax")
  finish
endif
syntax case match
syntax match mbsStatement /\v(^\s*|[{}]\s*|<(cut|else)\s+)@<=<(beam|body|bushing|clutch|component|const|constraint|contact|coord|coordinates|cut|damper|discrete|dissipation|draw|drive|else|every|extern|for|force|friction|function|gear|gravity|if|include|init|input|joint|kinetic|let|limit|model|option|output|param|planar|potential|ratchet|rope|rotor|simulate|spatial|spring|state|table|torque|use|wheel|when)>(\s*(\=\=@!|'))@!/
syntax match mbsFunction /\v<(abs|acos|asin|asinh|atan|atan2|concat|cos|cosh|cross|diag|dot|erf|exp|floor|identity|if|inverse|log|max|min|mod|norm|norm2|outer|sign|sin|sinh|size|sqrt|sum|tan|tanh|transpose)>\ze\s*\(/
syntax match mbsJoint /\v<(constant_velocity|cylindrical|distance|fixed|free|planar|point_on_line|prismatic|revolute|screw|slot|spherical|universal)>\ze\s*\(/
syntax match mbsClause /\v([{,]\s*|^\s+)@<=<(about|along|angle|angles|area|atol|axes|axial|axis|axis2|backward|between|coefficient|colour|com|coupling|damping|density|distance|elements|every|exact|exponent|factor|force|formulation|frame|friction|from|height|hidden|inertia|law|length|lower|mass|modes|moment|moment2|normal|offset|on|opacity|pitch|point|radius|radius2|ratio|restitution|rtol|shape|shaped|shear|slip|solver|static|step|stiffening|stiffness|stribeck|to|tooth|torsion|upper|width|youngs)>\ze\s*\=\=@!/
syntax keyword mbsOperator and in not or
syntax keyword mbsConstant false ground pi true
syntax match mbsNumber /\v<\d+(\.\d+)?([eE][-+]?\d+)?>/
syntax region mbsString start=/"/ end=/"/ oneline
syntax match mbsComment /#.*$/
highlight default link mbsStatement Statement
highlight default link mbsFunction Function
highlight default link mbsJoint Type
highlight default link mbsClause Identifier
highlight default link mbsOperator Operator
highlight default link mbsConstant Constant
highlight default link mbsNumber Number
highlight default link mbsString String
highlight default link mbsComment Comment
let b:current_syntax = "mbs"
