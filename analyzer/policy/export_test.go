package policy

import "reflect"

// File is the type of a policy as it is written.
var File = reflect.TypeFor[file]()
